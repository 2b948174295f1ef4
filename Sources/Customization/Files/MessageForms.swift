internal import AshlarCore

/// The texts of a key of a string catalog by path, such as `plural.one`; a text without variants has an empty path.
///
/// The paths are those of Xcode's exports: `plural.one`, `substitutions.files.plural.one`, `device.mac`. A variable's
/// position is a property of the variable: `%#@files@`, not `%1$#@files@`.
enum MessageForms {
    /// The meaning of a text's placeholders, as far as the text doesn't show it.
    enum Notation: Hashable, Sendable {
        case format
        /// A form that the number of a variable selects.
        case number(variable: String, type: String, position: Int?)
    }

    struct Form: Sendable {
        let path: String
        let text: String
        let notation: Notation
        /// The state in a string catalog.
        var state: String?

        init(path: String, text: String, notation: Notation = .format) {
            self.path = path
            self.text = text
            self.notation = notation
        }
    }

    /// The name of a device or variable as a part of a path.
    static func escaped(_ name: String) -> String {
        name.replacingBytes(of: "%", with: "%25").replacingBytes(of: ".", with: "%2E")
    }

    private static func unescaped(_ name: some StringProtocol) -> String {
        String(name).replacingBytes(of: "%2E", with: ".").replacingBytes(of: "%25", with: "%")
    }

    /// Returns the value with the texts; nil if they don't form a value.
    static func value(_ forms: [Form]) -> CustomizationValue? {
        guard forms.count == 1, let form = forms.first, form.path.isEmpty else {
            return message(forms).map { .message($0) }
        }
        return .string(form.text)
    }

    private static func message(_ forms: [Form]) -> CustomizationMessage? {
        if forms.count == 1, let form = forms.first, form.path.isEmpty {
            return CustomizationMessage(form.text)
        }
        if forms.contains(where: { $0.path.hasPrefix("device.") }) {
            var groups: [String: [Form]] = [:]
            // Variables outside of the devices are those of every device.
            let shared = forms.filter { $0.path.hasPrefix("substitutions.") }
            for form in forms where !form.path.hasPrefix("substitutions.") {
                let words = form.path.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
                guard words.count > 1, words[0] == "device" else { return nil }
                let inner = Form(
                    path: words.count > 2 ? String(words[2]) : "", text: form.text, notation: form.notation)
                groups[unescaped(words[1]), default: shared].append(inner)
            }
            let choices = groups.compactMapValues(message)
            guard choices.count == groups.count else { return nil }
            return CustomizationMessage(.devices(choices))
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
