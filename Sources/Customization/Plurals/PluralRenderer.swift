/// Formats a plural message with values.
struct PluralRenderer {
    /// The greatest number of expansions, which limits texts that name each other.
    private static let mostExpansions = 1_000

    private let message: PluralMessage
    private let values: [FormatValue]
    private let rules: PluralRules
    private let numbering: PluralNumbering
    private var problems: [CustomizationFormat.Problem] = []
    private var expansions = 0

    init(message: PluralMessage, values: [FormatValue], rules: PluralRules) {
        self.message = message
        self.values = values
        self.rules = rules
        numbering = PluralNumbering(message)
    }

    mutating func render() -> CustomizationFormat.Output {
        let text = render(message.format, own: nil, next: 1, path: [])
        return CustomizationFormat.Output(text: text, problems: problems)
    }

    /// Renders a text within the variables of `path`: its first placeholder without position takes the argument `own`,
    /// the next one `next`, and so on.
    private mutating func render(_ text: String, own: Int?, next: Int, path: [String]) -> String {
        let format = CustomizationFormat(text)
        // Positions count over the whole message, so conflicts cannot be found in one form.
        problems += format.problems.filter { $0.code != .mixedPositions && $0.code != .conflictingTypes }
        var (own, next, result) = (own, next, "")
        for segment in format.segments {
            switch segment {
            case .literal(let literal): result += literal
            case .placeholder(let placeholder):
                if let name = placeholder.variable {
                    result += expansion(of: placeholder, named: name, path: path)
                    if !placeholder.isPositional, let variable = numbering.variables[name] {
                        next = max(next, variable.end)
                    }
                    continue
                }
                var position = placeholder.position
                if !placeholder.isPositional {
                    position = own ?? next
                    if own == nil { next += 1 }
                    own = nil
                }
                result += placeholder.replacement(values, position: position, problems: &problems)
            }
        }
        return result
    }

    private mutating func expansion(
        of placeholder: CustomizationFormat.Placeholder, named name: String, path: [String]
    ) -> String {
        expansions += 1
        guard let variable = message.variables[name], let numbers = numbering.variables[name] else {
            problems.append(.init(.unknownVariable, placeholder, "the variable is not defined"))
            return placeholder.text
        }
        guard !path.contains(name), expansions <= Self.mostExpansions else {
            let way = (path + [name]).joined(separator: " → ")
            problems.append(.init(.cyclicVariable, placeholder, "the variable refers to itself: \(way)"))
            return placeholder.text
        }
        let position = placeholder.isPositional ? placeholder.position : numbers.position
        guard values.indices.contains(position - 1) else {
            problems.append(
                .init(.missingArgument, placeholder, "argument \(position) is missing; there are \(values.count)"))
            return placeholder.text
        }
        let value = values[position - 1]
        let category = variable.category(of: value, rules: rules)
        if category == nil {
            problems.append(
                .init(.typeMismatch, placeholder, "expected a number, found \(value.typeName) \"\(value.text)\""))
        }
        guard let form = variable.forms[category ?? .other] ?? variable.forms[.other] else {
            problems.append(
                .init(.missingCategory, placeholder, "there is no text for \(category ?? .other) and none for other"))
            return placeholder.text
        }
        return render(form, own: position, next: numbers.next, path: path + [name])
    }
}

/// The argument of each variable of a message, independent of the chosen categories.
package struct PluralNumbering {
    package struct Numbers {
        /// The variable's own argument.
        package let position: Int
        /// The first argument of the other placeholders of its texts.
        package let next: Int
        /// The first argument after all of its texts.
        package var end: Int
    }

    package private(set) var variables: [String: Numbers] = [:]

    package init(_ message: PluralMessage) {
        // The common case: the message is only the variable, so no argument follows its forms.
        if message.variables.count == 1, let name = message.variables.keys.first, message.format == "%#@\(name)@" {
            variables[name] = Numbers(position: 1, next: 2, end: 2)
            return
        }
        _ = walk(message.format, own: false, next: 1, message)
    }

    /// Numbers the variables that a text reaches.
    ///
    /// - Returns: The first argument after the text.
    private mutating func walk(_ text: String, own: Bool, next: Int, _ message: PluralMessage) -> Int {
        var (own, next) = (own, next)
        for placeholder in CustomizationFormat(text).placeholders {
            guard let name = placeholder.variable else {
                if !placeholder.isPositional {
                    if !own { next += 1 }
                    own = false
                }
                continue
            }
            guard variables[name] == nil, let variable = message.variables[name] else { continue }
            let position = placeholder.isPositional ? placeholder.position : next
            if !placeholder.isPositional { next += 1 }
            variables[name] = Numbers(position: position, next: next, end: next)
            // `other` exists in every language, so its order of nested variables is used.
            let forms = PluralCategory.allCases.reversed().compactMap { variable.forms[$0] }
            let end = forms.reduce(next) { max($0, walk($1, own: true, next: next, message)) }
            variables[name]?.end = end
            if !placeholder.isPositional { next = end }
        }
        return next
    }
}
