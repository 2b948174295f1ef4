import AshlarCustomization

/// The strings of a value by path, such as `plural.one`; a format without plurals has one string with an empty path.
///
/// The paths are those of Xcode's exports: `plural.one`, `substitutions.files.plural.one`, `device.mac`.
struct TranslationParts: Equatable {
    struct Part: Equatable {
        let path: String
        let text: String
    }

    private(set) var parts: [Part] = []

    /// Collects the strings of a value; nil if it is neither a string nor a message.
    init?(_ value: CustomizationValue) {
        switch value {
        case .string(let text): parts = [Part(path: "", text: text)]
        case .message(let message): add(message, "")
        default: return nil
        }
    }

    private mutating func add(_ message: CustomizationMessage, _ path: String) {
        func joined(_ name: String) -> String { path.isEmpty ? name : path + "." + name }
        switch message.source {
        case .format(let text), .icu(let text): parts.append(Part(path: path, text: text))
        case .devices(let choices):
            for (name, choice) in choices.sorted(by: { $0.key < $1.key }) {
                add(choice, joined("device.\(Self.escaped(name))"))
            }
        case .widths(let choices):
            for (name, choice) in choices.sorted(by: { $0.key < $1.key }) {
                add(choice, joined("width.\(Self.escaped(name))"))
            }
        case .plural(let text):
            if let name = Self.wholeVariable(text), let variable = text.variables[name] {
                add(variable, joined("plural"))
                return
            }
            parts.append(Part(path: path, text: text.format))
            for (name, variable) in text.variables.sorted(by: { $0.key < $1.key }) {
                add(variable, joined("substitutions.\(Self.escaped(name)).plural"))
            }
        }
    }

    private mutating func add(_ variable: CustomizationMessage.Variable, _ path: String) {
        for category in PluralCategory.allCases {
            if let text = variable.forms[category] { parts.append(Part(path: "\(path).\(category)", text: text)) }
        }
    }

    /// Returns the variable if it is the whole string: `%#@value@`.
    static func wholeVariable(_ text: PluralText) -> String? {
        guard text.variables.count == 1, let name = text.variables.keys.first else { return nil }
        return text.format == "%#@\(name)@" ? name : nil
    }

    private static func escaped(_ name: String) -> String {
        name.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%25")
            .split(separator: ".", omittingEmptySubsequences: false).joined(separator: "%2E")
    }

    private static func unescaped(_ name: Substring) -> String {
        var result = ""
        var rest = name
        while let character = rest.popFirst() {
            if character == "%", rest.hasPrefix("2E") {
                result += "."
                rest = rest.dropFirst(2)
            } else if character == "%", rest.hasPrefix("25") {
                result += "%"
                rest = rest.dropFirst(2)
            } else {
                result.append(character)
            }
        }
        return result
    }

    // MARK: Back to values

    /// Returns the value with the strings; the names and types of variables come from a value with the same structure.
    ///
    /// - Parameters:
    ///   - texts: The strings by path.
    ///   - model: The value of the source language.
    /// - Returns: The value; nil if the paths don't form a value.
    static func value(_ texts: [String: String], like model: CustomizationValue?) -> CustomizationValue? {
        if texts.count == 1, let text = texts[""] {
            if case .message(let message)? = model, case .icu = message.source {
                return .message(CustomizationMessage(icu: text))
            }
            return .string(text)
        }
        var modelMessage: CustomizationMessage?
        if case .message(let message)? = model { modelMessage = message }
        return message(texts, like: modelMessage).map { .message($0) }
    }

    private static func message(_ texts: [String: String], like model: CustomizationMessage?) -> CustomizationMessage? {
        if texts.count == 1, let text = texts[""] { return CustomizationMessage(text) }
        for (kind, isDevice) in [("device", true), ("width", false)]
        where texts.keys.contains(where: { $0.hasPrefix(kind + ".") }) {
            var known: [String: CustomizationMessage] = [:]
            switch model?.source {
            case .devices(let choices)? where isDevice: known = choices
            case .widths(let choices)? where !isDevice: known = choices
            default: break
            }
            var groups: [String: [String: String]] = [:]
            for (path, text) in texts {
                let words = path.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
                guard words.count > 1, words[0] == kind else { return nil }
                groups[unescaped(words[1]), default: [:]][words.count > 2 ? String(words[2]) : ""] = text
            }
            var choices: [String: CustomizationMessage] = [:]
            for (name, texts) in groups {
                guard let choice = message(texts, like: known[name] ?? known["other"]) else { return nil }
                choices[name] = choice
            }
            return CustomizationMessage(isDevice ? .devices(choices) : .widths(choices))
        }
        return plural(texts, like: model)
    }

    private static func plural(_ texts: [String: String], like model: CustomizationMessage?) -> CustomizationMessage? {
        var known: PluralText?
        if case .plural(let text)? = model?.source { known = text }
        var forms: [String: [PluralCategory: String]] = [:]
        var whole: [PluralCategory: String] = [:]
        for (path, text) in texts where !path.isEmpty {
            let words = path.split(separator: ".", omittingEmptySubsequences: false)
            guard let category = PluralCategory(rawValue: String(words[words.count - 1])) else { return nil }
            if words.count == 2, words[0] == "plural" {
                whole[category] = text
            } else if words.count == 4, words[0] == "substitutions", words[2] == "plural" {
                forms[unescaped(words[1]), default: [:]][category] = text
            } else {
                return nil
            }
        }
        if !whole.isEmpty {
            guard forms.isEmpty, texts[""] == nil else { return nil }
            let name = known.flatMap(wholeVariable) ?? "value"
            let type = known?.variables[name]?.valueType ?? "lld"
            return CustomizationMessage(
                format: "%#@\(name)@", variables: [name: .init(valueType: type, forms: whole)])
        }
        guard let format = texts[""] else { return nil }
        var variables: [String: CustomizationMessage.Variable] = [:]
        for (name, forms) in forms {
            variables[name] = .init(valueType: known?.variables[name]?.valueType ?? "lld", forms: forms)
        }
        return CustomizationMessage(format: format, variables: variables)
    }
}

/// Collects strings by key and path, as exchange formats list them, and combines them into messages.
struct PartCollector {
    private struct Text {
        var texts: [String: String] = [:]
        var state: TranslationCatalog.State
    }

    private var units: [TranslationCatalog.Unit] = []
    private var index = UnitIndex()
    private var texts: [Int: [LanguageTag: Text]] = [:]

    /// The key and the path of a unit's name: `files|==|plural.one`.
    static func split(_ id: String) -> (key: String, path: String) {
        let mark = Array(TranslationCatalog.pathMark.utf8)
        let bytes = Array(id.utf8)
        for start in bytes.indices.reversed() where bytes[start...].starts(with: mark) {
            let path = String(decoding: bytes[(start + mark.count)...], as: UTF8.self)
            guard ["plural.", "substitutions.", "device.", "width."].contains(where: path.hasPrefix) else { continue }
            return (String(decoding: bytes[..<start], as: UTF8.self), path)
        }
        return (id, "")
    }

    /// The place of a string in a catalog.
    struct Place {
        let table: String
        let key: String
        /// The path of the string in a message; empty for a plain string.
        let path: String
        var comment: String?
    }

    /// Adds a string; the state of a message is the least complete state of its strings.
    mutating func add(_ text: String, state: TranslationCatalog.State, in language: LanguageTag, at place: Place) {
        let unit = index.unit(place.table, place.key, in: &units)
        units[unit].comment = units[unit].comment ?? place.comment
        var known = texts[unit]?[language] ?? Text(state: state)
        known.texts[place.path] = text
        if rank(state) < rank(known.state) { known.state = state }
        texts[unit, default: [:]][language] = known
    }

    private func rank(_ state: TranslationCatalog.State) -> Int {
        TranslationCatalog.State.allCases.firstIndex(of: state) ?? 0
    }

    /// Returns the catalog of all strings; the types of variables come from `model`.
    func catalog(
        sourceLanguage: LanguageTag, model: TranslationCatalog?, report: (CustomizationDiagnostic) -> Void
    ) -> TranslationCatalog {
        var catalog = TranslationCatalog(sourceLanguage: sourceLanguage, units: units)
        let models = UnitIndex(model?.units ?? [])
        for (number, languages) in texts.sorted(by: { $0.key < $1.key }) {
            let unit = catalog.units[number]
            let known = models.find(unit.table, unit.key).flatMap {
                model?.units[$0].translations[sourceLanguage]?.value
            }
            for (language, text) in languages.sorted(by: { $0.key.description < $1.key.description }) {
                guard let value = TranslationParts.value(text.texts, like: known) else {
                    report(
                        CustomizationDiagnostic(
                            .error, .malformedFile,
                            "the texts \(text.texts.keys.sorted().joined(separator: ", ")) do not form a message",
                            at: CustomizationLocation(file: unit.table), key: unit.key))
                    continue
                }
                catalog.units[number].translations[language] = .init(value, state: text.state)
            }
        }
        return catalog
    }
}
