import AshlarCore
public import AshlarCustomization
public import AshlarRemote
import AshlarTrees

extension CustomizationUpdate {
    /// Returns the file of an update.
    ///
    /// The file contains strings, numbers, booleans, lists and messages; colors and aliases become strings.
    ///
    /// - Parameters:
    ///   - version: The version, a positive number greater than all earlier versions.
    ///   - tables: The tables of each language by name.
    ///   - name: The name of the update, if apps require one.
    ///   - environment: The environment whose apps accept the update; nil for apps without one.
    ///   - sign: Returns the signature of the given bytes; if nil, the file has no signature.
    /// - Returns: The bytes of the file.
    /// - Throws: The error of `sign`.
    /// - Complexity: O(*n*) in the size of the strings.
    public static func file(
        version: Int, tables: [LanguageTag: [String: StringsTable]], name: String? = nil,
        environment: String? = nil, sign: ((_ signed: [UInt8]) throws -> [UInt8])? = nil
    ) throws -> [UInt8] {
        precondition(version > 0, "the version of an update is positive")
        for text in [name, environment] {
            precondition(text?.contains(where: \.isNewline) != true, "names of updates and environments are one line")
        }
        let languages = tables.sorted { $0.key.description < $1.key.description }.map { language, tables in
            let members = tables.sorted { $0.key < $1.key }.map { name, table in
                let entries = table.map { "\(JSONText.quoted($0.key)): \($0.value.json)" }
                return "\(JSONText.quoted(name)): {\n\(entries.joined(separator: ",\n"))\n}"
            }
            return "\(JSONText.quoted("\(language)")): {\(members.joined(separator: ",\n"))}"
        }
        let payload = Array("{\"languages\": {\(languages.joined(separator: ",\n"))}}\n".utf8)
        var head = "\(firstLine)\nversion: \(version)\nsha256: \(SHA256.hexadecimal(payload))\n"
        if let name { head += "name: \(name)\n" }
        if let environment { head += "environment: \(environment)\n" }
        var signature = ""
        if let sign { signature = "signature: \(Base64.encode(try sign(Array(head.utf8))))\n" }
        return Array((head + signature + "\n").utf8) + payload
    }
}

extension CustomizationValue {
    /// The value as JSON with sorted keys; colors, data and aliases become strings.
    var json: String {
        switch self {
        case .int(let number): String(number)
        case .double(let number) where number.isFinite: String(number)
        case .bool(let flag): String(flag)
        case .list(let items): "[" + items.map(\.json).joined(separator: ",") + "]"
        case .message(let message): message.stringsDict.json
        case .alias(let key): JSONText.quoted("$" + key)
        case .dict(let members):
            "{"
                + members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .map { "\(JSONText.quoted($0.key)):\($0.value.json)" }.joined(separator: ",") + "}"
        default: JSONText.quoted(text ?? "")
        }
    }
}
