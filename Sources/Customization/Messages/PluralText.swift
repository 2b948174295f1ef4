/// A message in the form of a `.stringsdict` entry: a format and its variables.
package struct PluralText: Hashable, Sendable {
    package var format: String
    package var variables: [String: CustomizationMessage.Variable]

    package init(format: String, variables: [String: CustomizationMessage.Variable]) {
        self.format = format
        self.variables = variables
    }

    /// Creates a message that consists of one variable.
    package init(forms: [PluralCategory: String], valueType: String) {
        self.init(format: "%#@value@", variables: ["value": .init(valueType: valueType, forms: forms)])
    }
}

/// The argument of each variable of a plural message, independent of the chosen categories.
package struct PluralNumbering {
    package struct Numbers {
        /// The variable's own argument.
        package let position: Int
        /// The first argument of the other placeholders in its forms.
        package let next: Int
        /// The first argument after all of its forms.
        package var end: Int
    }

    package private(set) var variables: [String: Numbers] = [:]

    package init(_ message: PluralText) {
        _ = walk(message.format, own: false, next: 1, depth: 0, message)
    }

    /// Returns the segments of a text with the position of each placeholder's argument.
    ///
    /// - Parameters:
    ///   - format: The format of the message, or a form of a variable.
    ///   - own: The position of the variable's number, which is the first placeholder without a position; nil for the
    ///     format of the message.
    ///   - next: The argument of the next placeholder without a position.
    /// - Returns: The segments; the position of a literal is 0.
    package func segments(
        of format: PrintfFormat, own: Int?, next: Int
    ) -> [(segment: PrintfFormat.Segment, position: Int)] {
        var (own, next) = (own, next)
        return format.segments.map { segment in
            guard case .placeholder(let placeholder) = segment else { return (segment, 0) }
            if placeholder.isPositional { return (segment, placeholder.position) }
            if let name = placeholder.variable {
                guard let numbers = variables[name] else { return (segment, placeholder.position) }
                next = max(next, numbers.end)
                return (segment, numbers.position)
            }
            if let number = own {
                own = nil
                return (segment, number)
            }
            next += 1
            return (segment, next - 1)
        }
    }

    /// Numbers the variables to which a text refers, down to the depth at which they are no longer shown.
    ///
    /// - Returns: The first argument after the text.
    private mutating func walk(_ text: String, own: Bool, next: Int, depth: Int, _ message: PluralText) -> Int {
        var (own, next) = (own, next)
        for placeholder in PrintfFormat(text).placeholders {
            guard let name = placeholder.variable else {
                if !placeholder.isPositional {
                    if !own { next += 1 }
                    own = false
                }
                continue
            }
            guard depth < MessageRenderer.maximumDepth, variables[name] == nil,
                let variable = message.variables[name]
            else { continue }
            let position = placeholder.isPositional ? placeholder.position : next
            if !placeholder.isPositional { next += 1 }
            variables[name] = Numbers(position: position, next: next, end: next)
            // `other` exists in every language, so its order of nested variables is used.
            let forms = PluralCategory.allCases.reversed().compactMap { variable.forms[$0] }
            let end = forms.reduce(next) { max($0, walk($1, own: true, next: next, depth: depth + 1, message)) }
            variables[name]?.end = end
            if !placeholder.isPositional { next = end }
        }
        return next
    }
}
