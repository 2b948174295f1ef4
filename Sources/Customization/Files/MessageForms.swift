internal import AshlarCore

/// The texts of a value by path, such as `plural.one`; a value without variants has one text with an empty path.
///
/// The paths are those of Xcode's exports: `plural.one`, `substitutions.files.plural.one`, `device.mac`. As in string
/// catalogs, a variable's position is a property of the variable: `%#@files@`, not `%1$#@files@`.
package enum MessageForms {
    /// The meaning of a text's placeholders, as far as the text doesn't show it.
    package enum Notation: Hashable, Sendable {
        case format
        case icu
        /// A form that the number of a variable selects.
        case number(variable: String, type: String, position: Int?)
    }

    package struct Form: Sendable {
        package let path: String
        package let text: String
        package let notation: Notation
        /// The state in a string catalog.
        package var state: String?

        package init(path: String, text: String, notation: Notation = .format) {
            self.path = path
            self.text = text
            self.notation = notation
        }
    }

    /// The name of a device or variable as a part of a path.
    package static func escaped(_ name: String) -> String {
        name.replacingBytes(of: "%", with: "%25").replacingBytes(of: ".", with: "%2E")
    }

    package static func unescaped(_ name: some StringProtocol) -> String {
        String(name).replacingBytes(of: "%2E", with: ".").replacingBytes(of: "%25", with: "%")
    }

    // MARK: From values

    /// Returns the texts of a value; none if it is neither a string nor a message.
    package static func forms(of value: CustomizationValue) -> [Form] {
        switch value {
        case .string(let text): [Form(path: "", text: text)]
        case .message(let message): forms(of: message, "")
        default: []
        }
    }

    private static func forms(of message: CustomizationMessage, _ path: String) -> [Form] {
        func forms(_ choices: [String: CustomizationMessage], _ kind: String) -> [Form] {
            choices.sorted { $0.key < $1.key }.flatMap { self.forms(of: $1, "\(path)\(kind).\(escaped($0)).") }
        }
        let own = path.isEmpty ? path : String(path.dropLast())
        switch message.source {
        case .format(let text): return [Form(path: own, text: text)]
        case .icu(let text): return [Form(path: own, text: text, notation: .icu)]
        case .devices(let choices): return forms(choices, "device")
        case .widths(let choices): return forms(choices, "width")
        case .plural(let text):
            let positions = positions(of: text)
            func plain(_ text: String) -> String {
                positions.reduce(text) { $0.replacingBytes(of: "%\($1.value)$#@\($1.key)@", with: "%#@\($1.key)@") }
            }
            let isWhole =
                text.variables.count == 1 && text.variables.keys.first.map { text.format == "%#@\($0)@" } == true
            let format = isWhole ? [] : [Form(path: own, text: plain(text.format))]
            return format
                + text.variables.sorted { $0.key < $1.key }.flatMap { name, variable in
                    let path = path + (isWhole ? "plural" : "substitutions.\(escaped(name)).plural")
                    let notation = Notation.number(
                        variable: name, type: variable.valueType, position: positions[name])
                    return PluralCategory.allCases.compactMap { category in
                        variable.forms[category].map {
                            Form(path: "\(path).\(category)", text: plain($0), notation: notation)
                        }
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

    // MARK: To values

    /// Returns the value with the texts; nil if they don't form a value.
    package static func value(_ forms: [Form]) -> CustomizationValue? {
        guard forms.count == 1, let form = forms.first, form.path.isEmpty, form.notation != .icu else {
            return message(forms).map { .message($0) }
        }
        return .string(form.text)
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
        var format = forms.first { $0.path.isEmpty }?.text
        var whole: String?
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
                // The first number chooses the form.
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
            positions.reduce(text) { $0.replacingBytes(of: "%#@\($1.key)@", with: "%\($1.value)$#@\($1.key)@") }
        }
        for (name, variable) in variables {
            let argument = "%" + (positions[name].map { "\($0)$" } ?? "") + variable.valueType
            variables[name]?.forms = variable.forms.mapValues {
                positioned($0.replacingBytes(of: "%arg", with: argument))
            }
        }
        return CustomizationMessage(format: positioned(format), variables: variables)
    }
}

extension String {
    /// Returns the text with each occurrence replaced, compared byte by byte.
    fileprivate func replacingBytes(of part: String, with replacement: String) -> String {
        let (bytes, part) = (Array(utf8), Array(part.utf8))
        var (result, index) = ([UInt8](), 0)
        while index < bytes.count {
            if bytes[index] == part[0], bytes[index...].starts(with: part) {
                result += replacement.utf8
                index += part.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
