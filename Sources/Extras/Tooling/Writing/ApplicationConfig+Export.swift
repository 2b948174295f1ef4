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
        let value = locate(.root).map { Self.value(of: $0, includesSecrets) } ?? [:]
        switch format.kind {
        case .json: return JSONWriter(isPretty: true).text(value) + "\n"
        case .propertyList: return PropertyListWriter.text(value)
        }
    }

    private static func value(of place: ConfigPlace, _ includesSecrets: Bool) -> ConfigValue {
        func isHidden(_ child: ConfigPlace) -> Bool { !includesSecrets && child.isSecret }
        switch place.kind {
        case .array:
            return .array(
                place.children.map {
                    isHidden($0) ? .string(SecretNames.placeholder) : value(of: $0, includesSecrets)
                })
        case .dictionary:
            var entries: [String: ConfigValue] = [:]
            for child in place.children where !isHidden(child) {
                entries[child.key] = value(of: child, includesSecrets)
            }
            return .dictionary(entries)
        default:
            guard case .string(let text) = place.value else { return place.value }
            let shown = includesSecrets ? text : SecretText.redactingCredentials(in: text)
            return .string(shown.replacing("${", with: "$${"))
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

/// Writes values as XML property lists with sorted keys.
///
/// `null`, which property lists lack, becomes an empty string; control characters, which XML lacks, become U+FFFD.
private struct PropertyListWriter {
    private var text = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">

        """

    static func text(_ value: ConfigValue) -> String {
        var writer = PropertyListWriter()
        writer.write(value, indent: "")
        return writer.text + "</plist>\n"
    }

    private mutating func write(_ value: ConfigValue, indent: String) {
        switch value {
        case .array(let elements) where !elements.isEmpty:
            text += "\(indent)<array>\n"
            for element in elements { write(element, indent: indent + "\t") }
            text += "\(indent)</array>\n"
        case .dictionary(let entries) where !entries.isEmpty:
            text += "\(indent)<dict>\n"
            for (key, entry) in entries.sorted(by: { $0.key < $1.key }) {
                text += "\(indent)\t<key>\(Self.escaped(key))</key>\n"
                write(entry, indent: indent + "\t")
            }
            text += "\(indent)</dict>\n"
        default: text += indent + Self.element(value) + "\n"
        }
    }

    private static func element(_ value: ConfigValue) -> String {
        switch value {
        case .null: return "<string></string>"
        case .array: return "<array/>"
        case .dictionary: return "<dict/>"
        case .boolean(let flag): return "<\(flag)/>"
        case .integer(let number): return "<integer>\(number)</integer>"
        case .unsigned(let number): return "<integer>\(number)</integer>"
        case .real(let number): return "<real>\(number)</real>"
        case .string(let string): return "<string>\(escaped(string))</string>"
        case .date(let date):
            // Dates in property lists have whole seconds.
            let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
            return "<date>\(ConfigDateText.format(secondsSince2001: seconds))</date>"
        case .data(let data): return "<data>\(data.base64EncodedString())</data>"
        }
    }

    private static func escaped(_ text: String) -> String { XMLText.escaped(text, replacement: "\u{FFFD}") }
}
