public import AshlarAppConfig
internal import AshlarCore
internal import AshlarTrees

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An export format of a configuration.
public struct ConfigExportFormat: Hashable, Sendable {
    enum Kind { case json, propertyList }
    let kind: Kind

    /// JSON; dates, data, and numbers that aren't finite are strings.
    public static let json: ConfigExportFormat = ConfigExportFormat(kind: .json)
    /// An XML property list, in which `null` in an array is an empty string and dates have whole seconds.
    ///
    /// Control characters, which XML can't contain, become U+FFFD.
    public static let propertyList: ConfigExportFormat = ConfigExportFormat(kind: .propertyList)
}

extension ApplicationConfig {
    /// Returns the effective values as the text of a file that contains the same values when it is loaded.
    ///
    /// Keys of secret values are omitted. A secret element of an array becomes `<redacted>`, so that the indices of
    /// other elements don't change. Credentials in URLs also become `<redacted>`. `${` in strings is escaped. To load
    /// keys that begin with `$`, turn directives off. The call stack grows with the nesting of the values.
    ///
    /// ```swift
    /// let config = ApplicationConfig(["http": ["timeout": 30], "apiToken": "secret"])
    /// print(config.exported(as: .json))  // {"http": {"timeout": 30}}, over several lines
    /// ```
    ///
    /// - Complexity: O(*n* log *n*) in the number of values.
    public func exported(as format: ConfigExportFormat, includesSecrets: Bool = false) -> String {
        let value = locate(.root)?.exportedValue(includesSecrets: includesSecrets) ?? [:]
        switch format.kind {
        case .json: return JSONWriter(isPretty: true).text(value) + "\n"
        case .propertyList: return PropertyListText(value).document
        }
    }
}

extension ConfigPlace {
    /// The value as it is printed, with `<redacted>` for each secret in it.
    package var shownValue: ConfigValue {
        if kind == .dictionary {
            return .dictionary(
                Dictionary(children.map { ($0.key, $0.isSecret ? .string(SecretNames.placeholder) : $0.shownValue) }) {
                    $1
                })
        }
        if kind == .array {
            return .array(children.map { $0.isSecret ? .string(SecretNames.placeholder) : $0.shownValue })
        }
        guard case .string(let text) = value else { return value }
        return .string(SecretText.redacted(text))
    }

    /// The value in a file that is loaded again, without the keys of secrets.
    fileprivate func exportedValue(includesSecrets: Bool) -> ConfigValue {
        func isHidden(_ child: ConfigPlace) -> Bool { !includesSecrets && child.isSecret }
        switch kind {
        case .array:
            return .array(
                children.map {
                    isHidden($0)
                        ? .string(SecretNames.placeholder) : $0.exportedValue(includesSecrets: includesSecrets)
                })
        case .dictionary:
            let shown = children.filter { !isHidden($0) }
            return .dictionary(
                Dictionary(shown.map { ($0.key, $0.exportedValue(includesSecrets: includesSecrets)) }) { $1 })
        default:
            guard case .string(let text) = value else { return value }
            return .string((includesSecrets ? text : SecretText.redacted(text)).replacing("${", with: "$${"))
        }
    }
}

extension ConfigDiff {
    /// The changes as a JSON array of objects with `path`, `old`, `new`, `oldLocation`, and `newLocation`.
    ///
    /// A secret value is `"<redacted>"`; members without a value are omitted.
    public var json: String {
        let list = changes.map { change -> ConfigValue in
            var members: [String: ConfigValue] = ["path": .string("\(change.path)")]
            if let location = change.oldLocation {
                members["old"] = change.oldValue ?? .string(SecretNames.placeholder)
                members["oldLocation"] = .string("\(location)")
            }
            if let location = change.newLocation {
                members["new"] = change.newValue ?? .string(SecretNames.placeholder)
                members["newLocation"] = .string("\(location)")
            }
            return .dictionary(members)
        }
        return JSONWriter(isPretty: true).text(.array(list)) + "\n"
    }
}

extension PropertyListText {
    /// Creates the text of a value with sorted keys; `null`, which property lists lack, becomes an empty string.
    fileprivate init(_ value: ConfigValue) {
        switch value {
        case .null: self = .element("string", text: "")
        case .array(let elements): self = .array(elements.map { Self($0) })
        case .dictionary(let entries):
            self = .dictionary(entries.sorted { $0.key < $1.key }.map { ($0.key, Self($0.value)) })
        case .boolean(let flag): self = .flag(flag)
        case .integer(let number): self = .element("integer", text: "\(number)")
        case .unsigned(let number): self = .element("integer", text: "\(number)")
        case .real(let number): self = .element("real", text: "\(number)")
        case .string(let string): self = .element("string", text: string)
        case .date(let date):
            // Dates in property lists have whole seconds.
            let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
            self = .element("date", text: ConfigDateText.format(secondsSince2001: seconds))
        case .data(let data): self = .element("data", text: data.base64EncodedString())
        }
    }
}

/// A value as the text of an XML property list.
indirect enum PropertyListText {
    /// An element with text, such as `<integer>4</integer>`.
    case element(String, text: String)
    case flag(Bool)
    case array([PropertyListText])
    /// The entries in the order of the file.
    case dictionary([(key: String, value: PropertyListText)])

    /// The text of a file with the value.
    var document: String {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """
        write(to: &text, indent: "")
        return text + "</plist>\n"
    }

    private func write(to text: inout String, indent: String) {
        switch self {
        case .element(let name, let content): text += "\(indent)<\(name)>\(Self.escaped(content))</\(name)>\n"
        case .flag(let flag): text += "\(indent)<\(flag)/>\n"
        case .array(let elements):
            text += "\(indent)<array>\n"
            for element in elements { element.write(to: &text, indent: indent + "\t") }
            text += "\(indent)</array>\n"
        case .dictionary(let entries):
            text += "\(indent)<dict>\n"
            for (key, value) in entries {
                text += "\(indent)\t<key>\(Self.escaped(key))</key>\n"
                value.write(to: &text, indent: indent + "\t")
            }
            text += "\(indent)</dict>\n"
        }
    }

    /// Returns the text with references in place of the characters that a reader wouldn't read back; those that XML
    /// can't contain become U+FFFD.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\r": result += "&#13;"
            default: result.unicodeScalars.append(XMLText.isLegal(scalar) ? scalar : "\u{FFFD}")
            }
        }
    }
}
