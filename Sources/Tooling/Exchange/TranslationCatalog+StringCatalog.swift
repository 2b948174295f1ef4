import AshlarCore
public import AshlarCustomization

extension TranslationCatalog {
    /// Returns a table of the catalog as an `.xcstrings` file, in Xcode's layout.
    ///
    /// The file contains the state `new`, `needs_review` or `translated` of each string, and the state `stale` of
    /// unused keys.
    ///
    /// - Parameter table: The name of the table.
    /// - Returns: The text, which is JSON.
    /// - Complexity: O(*n* log *n*) in the number of keys.
    public func stringCatalog(table: String = CustomizationLayer.defaultTable) -> String {
        var strings = JSONObject()
        for unit in units.filter({ $0.table == table }).sorted(by: {
            $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
        }) {
            var members = JSONObject()
            if let comment = unit.comment { members["comment"] = .text(comment) }
            if unit.isStale { members["extractionState"] = .text("stale") }
            var localizations = JSONObject()
            for (language, translation) in unit.translations.sorted(by: { $0.key.description < $1.key.description }) {
                localizations["\(language)"] = .object(Self.localization(translation))
            }
            if !localizations.members.isEmpty { members["localizations"] = .object(localizations) }
            strings[unit.key] = .object(members)
        }
        var root = JSONObject()
        root["sourceLanguage"] = .text("\(sourceLanguage)")
        root["strings"] = .object(strings)
        root["version"] = .text("1.0")
        return root.text(indent: "") + "\n"
    }

    private static func localization(_ translation: Translation) -> JSONObject {
        switch translation.value {
        case .message(let message): object(message, translation.state)
        default: unit(translation.value.text ?? "", translation.state)
        }
    }

    private static func unit(_ text: String, _ state: State) -> JSONObject {
        let states: [State: String] = [.new: "new", .needsReview: "needs_review", .translated: "translated"]
        var unit = JSONObject()
        unit["state"] = .text(states[state] ?? "new")
        unit["value"] = .text(text)
        return JSONObject("stringUnit", .object(unit))
    }

    private static func object(_ message: CustomizationMessage, _ state: State) -> JSONObject {
        switch message.source {
        case .format(let text), .icu(let text): return unit(text, state)
        case .devices(let choices):
            var devices = JSONObject()
            for (name, choice) in choices.sorted(by: { $0.key < $1.key }) {
                devices[name] = .object(object(choice, state))
            }
            return JSONObject("variations", .object(JSONObject("device", .object(devices))))
        case .widths: return object(message.resolved(), state)  // String catalogs have no widths.
        case .plural(let text):
            if let name = TranslationParts.wholeVariable(text), name == "value", let variable = text.variables[name] {
                return variations(variable, state)
            }
            return substitutions(text, state)
        }
    }

    private static func variations(_ variable: CustomizationMessage.Variable, _ state: State) -> JSONObject {
        var forms = JSONObject()
        for category in PluralCategory.allCases {
            if let text = variable.forms[category] { forms["\(category)"] = .object(unit(text, state)) }
        }
        return JSONObject("variations", .object(JSONObject("plural", .object(forms))))
    }

    /// Returns a format with variables; if all references to a variable have one position, the position becomes
    /// `argNum`.
    private static func substitutions(_ text: PluralText, _ state: State) -> JSONObject {
        var format = text.format
        var variables = text.variables
        var positions: [String: Int] = [:]
        let all = [format] + variables.values.flatMap(\.forms.values)
        let references = all.flatMap { PrintfFormat($0).placeholders }.filter { $0.variable != nil }
        for name in variables.keys {
            let own = references.filter { $0.variable == name }
            guard let first = own.first, first.isPositional,
                own.allSatisfy({ $0.isPositional && $0.position == first.position })
            else { continue }
            positions[name] = first.position
            func plain(_ text: String) -> String {
                text.replacing("%\(first.position)$#@\(name)@", with: "%#@\(name)@")
            }
            format = plain(format)
            variables = variables.mapValues { .init(valueType: $0.valueType, forms: $0.forms.mapValues(plain)) }
        }
        var members = JSONObject()
        for (name, variable) in variables.sorted(by: { $0.key < $1.key }) {
            var member = JSONObject()
            if let position = positions[name] { member["argNum"] = .number(position) }
            member["formatSpecifier"] = .text(variable.valueType)
            for (key, value) in variations(variable, state).members { member[key] = value }
            members[name] = .object(member)
        }
        var object = unit(format, state)
        object["substitutions"] = .object(members)
        return object
    }
}

/// A JSON object with ordered members.
private struct JSONObject {
    indirect enum Value {
        case text(String)
        case number(Int)
        case object(JSONObject)
    }

    var members: [(key: String, value: Value)] = []

    init() {}

    init(_ key: String, _ value: Value) { members = [(key, value)] }

    subscript(key: String) -> Value? {
        get { members.first { $0.key == key }?.value }
        set { if let newValue { members.append((key, newValue)) } }
    }

    /// Returns the object in Xcode's layout.
    func text(indent: String) -> String {
        guard !members.isEmpty else { return "{\n\n\(indent)}" }
        let inner = indent + "  "
        let lines = members.map { key, value in
            let text =
                switch value {
                case .text(let text): JSONText.quoted(text)
                case .number(let number): String(number)
                case .object(let object): object.text(indent: inner)
                }
            return "\(inner)\(JSONText.quoted(key)) : \(text)"
        }
        return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
    }
}
