import AshlarCustomization

/// The texts of a value by path, such as `plural.one`; a value without variants has one text with an empty path.
///
/// The paths are those of Xcode's exports: `plural.one`, `substitutions.files.plural.one`, `device.mac`. As in string
/// catalogs, a variable's position is a property of the variable: `%#@files@`, not `%1$#@files@`.
struct TranslationForms {
    struct Form {
        let path: String
        let text: String
        var notation = TranslationUnit.Notation.format
    }

    private(set) var forms: [Form] = []

    /// Collects the texts of a value; nil if it is neither a string nor a message.
    init?(_ value: CustomizationValue) {
        switch value {
        case .string(let text): forms = [Form(path: "", text: text)]
        case .message(let message): add(message, "")
        default: return nil
        }
    }

    private mutating func add(_ message: CustomizationMessage, _ path: String) {
        func joined(_ name: String) -> String { path.isEmpty ? name : path + "." + name }
        func add(_ choices: [String: CustomizationMessage], _ kind: String) {
            for (name, choice) in choices.sorted(by: { $0.key < $1.key }) {
                self.add(choice, joined("\(kind).\(Self.escaped(name))"))
            }
        }
        switch message.source {
        case .format(let text): forms.append(Form(path: path, text: text))
        case .icu(let text): forms.append(Form(path: path, text: text, notation: .icu))
        case .devices(let choices): add(choices, "device")
        case .widths(let choices): add(choices, "width")
        case .plural(let text):
            let positions = Self.positions(of: text)
            let isWhole =
                text.variables.count == 1 && text.variables.keys.first.map { text.format == "%#@\($0)@" } == true
            if !isWhole { forms.append(Form(path: path, text: Self.plain(text.format, positions))) }
            for (name, variable) in text.variables.sorted(by: { $0.key < $1.key }) {
                let path = joined(isWhole ? "plural" : "substitutions.\(Self.escaped(name)).plural")
                for category in PluralCategory.allCases {
                    guard let text = variable.forms[category] else { continue }
                    forms.append(
                        Form(
                            path: "\(path).\(category)", text: Self.plain(text, positions),
                            notation: .number(variable: name, type: variable.valueType, position: positions[name])))
                }
            }
        }
    }

    /// The position of each variable whose references all have this position.
    private static func positions(of text: PluralText) -> [String: Int] {
        var positions: [String: Set<Int>] = [:]
        for format in [text.format] + text.variables.values.flatMap(\.forms.values) {
            for placeholder in PrintfFormat(format).placeholders {
                guard let name = placeholder.variable else { continue }
                positions[name, default: []].insert(placeholder.isPositional ? placeholder.position : 0)
            }
        }
        return positions.compactMapValues { $0.count == 1 ? $0.first.flatMap { $0 > 0 ? $0 : nil } : nil }
    }

    private static func plain(_ text: String, _ positions: [String: Int]) -> String {
        positions.reduce(text) { $0.replacing("%\($1.value)$#@\($1.key)@", with: "%#@\($1.key)@") }
    }

    static func escaped(_ name: String) -> String {
        name.replacing("%", with: "%25").replacing(".", with: "%2E")
    }

    static func unescaped(_ name: some StringProtocol) -> String {
        String(name).replacing("%2E", with: ".").replacing("%25", with: "%")
    }

    // MARK: Back to values

    /// Returns the value with the texts; nil if they don't form a value.
    static func value(_ forms: [Form]) -> CustomizationValue? {
        guard forms.count == 1, let form = forms.first, form.path.isEmpty else {
            return message(forms).map { .message($0) }
        }
        return form.notation == .icu ? .message(CustomizationMessage(icu: form.text)) : .string(form.text)
    }

    private static func message(_ forms: [Form]) -> CustomizationMessage? {
        if forms.count == 1, let form = forms.first, form.path.isEmpty {
            return form.notation == .icu ? CustomizationMessage(icu: form.text) : CustomizationMessage(form.text)
        }
        for kind in ["device", "width"] where forms.contains(where: { $0.path.hasPrefix(kind + ".") }) {
            var groups: [String: [Form]] = [:]
            // Variables outside of the devices are those of every device.
            let shared = forms.filter { $0.path.hasPrefix("substitutions.") }
            for form in forms where !form.path.hasPrefix("substitutions.") {
                let words = form.path.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
                guard words.count > 1, words[0] == kind else { return nil }
                let inner = Form(
                    path: words.count > 2 ? String(words[2]) : "", text: form.text, notation: form.notation)
                groups[unescaped(words[1]), default: shared].append(inner)
            }
            let choices = groups.compactMapValues(message)
            guard choices.count == groups.count else { return nil }
            return CustomizationMessage(kind == "device" ? .devices(choices) : .widths(choices))
        }
        return plural(forms)
    }

    private static func plural(_ forms: [Form]) -> CustomizationMessage? {
        var variables: [String: CustomizationMessage.Variable] = [:]
        var positions: [String: Int] = [:]
        var format: String?
        var whole: String?
        for form in forms where form.path.isEmpty { format = form.text }
        let widest = forms.map { PrintfFormat($0.text).placeholders }.max { $0.count < $1.count } ?? []
        let number = widest.first { [.integer, .unsigned, .float].contains($0.type.kind) }
        for form in forms where !form.path.isEmpty {
            let words = form.path.split(separator: ".", omittingEmptySubsequences: false)
            guard let category = PluralCategory(rawValue: String(words[words.count - 1])) else { return nil }
            var (name, text) = ("value", form.text)
            var type = number.map { "\($0.type.length)\($0.conversion)" } ?? "lld"
            if case .number(let variable, let known, let position) = form.notation {
                (name, type) = (variable, known)
                if let position { positions[name] = position }
            } else if let number, number.isPositional || widest.count > 1 {
                // As in string catalogs, the first number chooses the form.
                positions[name] = number.position
                text = PrintfFormat(text).positional
            }
            if words.count == 2, words[0] == "plural" {
                name = whole ?? name
                whole = name
            } else if words.count == 4, words[0] == "substitutions", words[2] == "plural" {
                name = unescaped(words[1])
            } else {
                return nil
            }
            variables[name, default: .init(valueType: type, forms: [:])].forms[category] = text
        }
        if let whole {
            guard format == nil, variables.count == 1 else { return nil }
            format = "%#@\(whole)@"
        }
        guard let format else { return nil }
        func positioned(_ text: String) -> String {
            positions.reduce(text) { $0.replacing("%#@\($1.key)@", with: "%\($1.value)$#@\($1.key)@") }
        }
        for (name, variable) in variables {
            let argument = "%" + (positions[name].map { "\($0)$" } ?? "") + variable.valueType
            variables[name]?.forms = variable.forms.mapValues { positioned($0.replacing("%arg", with: argument)) }
        }
        return CustomizationMessage(format: positioned(format), variables: variables)
    }
}
