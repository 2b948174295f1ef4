internal import AshlarCore
public import AshlarCustomization

/// New texts for an installed app: one file with a version, a checksum and an optional signature.
///
/// The strings of an update override the app's strings of the same language; brands and themes override the update. A
/// language that only the update has becomes available.
///
/// ```swift
/// func show(_ download: [UInt8], in center: CustomizationCenter) throws {
///     let update = try CustomizationUpdate(download)
///     center.update { $0.with(update: update) }
/// }
/// ```
///
/// The file is text: the first line `ashlar-strings 1`, the lines `version: 42` and `sha256: …`, optional lines `name: …`
/// and `environment: …`, an optional line `signature: …` in Base64 as the last one, an empty line, and the payload as JSON.
/// The checksum covers the payload. The signature covers the lines before it, and therefore the version, the name, the
/// environment and, through the checksum, the strings. The lines have at most 64 KiB.
public struct CustomizationUpdate: Sendable {
    /// A closure that returns whether a signature is valid for some bytes.
    public typealias Verification = @Sendable (_ signed: [UInt8], _ signature: [UInt8]) -> Bool

    let strings: UpdatedStrings

    /// The version, a positive number.
    public var version: Int { strings.version }
    /// The tables of each language by name.
    public var tables: [LanguageTag: [String: StringsTable]] { strings.tables }
    /// The problems of the strings; an entry with a problem is omitted.
    public var diagnostics: [CustomizationDiagnostic] { strings.diagnostics }

    /// Reads an update.
    ///
    /// - Parameters:
    ///   - bytes: The content of the file.
    ///   - file: The file's path, for locations.
    ///   - name: The name that the file must have; nil for a file without a name.
    ///   - environment: The environment that the file must have; nil for a file without one.
    ///   - verify: Returns whether the signature is valid. If nil, a signature is ignored; otherwise, a file without a
    ///     signature is rejected.
    /// - Throws: `CustomizationError` with the code `invalidUpdate` and the reason.
    /// - Complexity: O(*n*) in the number of bytes.
    public init(
        _ bytes: [UInt8], file: String = "update", name: String? = nil, environment: String? = nil,
        verify: Verification? = nil
    ) throws(CustomizationError) {
        let header = try Header(bytes, file: file)
        guard header.name == name, header.environment == environment else {
            throw Self.invalid(
                "the file is for \(header.name ?? "no name") in \(header.environment ?? "no environment"), not for "
                    + "\(name ?? "no name") in \(environment ?? "no environment")", file)
        }
        let payload = Array(bytes[header.end...])
        guard SHA256.hexadecimal(payload) == header.checksum else {
            throw Self.invalid("the checksum does not match the texts; the file is damaged or incomplete", file)
        }
        if let verify {
            guard let signature = header.signature else { throw Self.invalid("the file has no signature", file) }
            guard verify(header.signed, signature) else { throw Self.invalid("the signature is not valid", file) }
        }
        guard case .dict(let root)? = JSONReader.value(of: payload), case .dict(let languages)? = root["languages"]
        else {
            throw Self.invalid("expected JSON with the dictionary \"languages\"", file)
        }
        var problems: [CustomizationDiagnostic] = []
        var tables: [LanguageTag: [String: StringsTable]] = [:]
        for (name, content) in languages.sorted(by: { $0.key < $1.key }) {
            guard let language = LanguageTag(name), case .dict(let content) = content else {
                throw Self.invalid("\"\(name)\" is not a language with tables", file)
            }
            guard tables[language] == nil else { throw Self.invalid("two dictionaries for \(language)", file) }
            var known: [String: StringsTable] = [:]
            let location = CustomizationLocation(file: file + "#" + name)
            for (table, value) in content {
                known[table] = Self.table(value, named: table, at: location, &problems)
            }
            tables[language] = known
        }
        strings = UpdatedStrings(version: header.version, tables: tables, diagnostics: problems)
    }

    private static func table(
        _ value: CustomizationValue, named name: String, at location: CustomizationLocation,
        _ problems: inout [CustomizationDiagnostic]
    ) -> StringsTable? {
        guard case .dict(let members) = value else {
            problems.add(
                .error, .notATable, "the table \(name) is not a dictionary but a \(value.typeName)", at: location)
            return nil
        }
        let entries = members.sorted { $0.key < $1.key }.compactMap { key, value -> CustomizationEntry? in
            switch value {
            case .string, .int, .double, .bool, .list: break
            default:
                guard let message = CustomizationMessage(stringsDict: value) else {
                    problems.add(
                        .error, .pluralMalformed, "expected a text or a message, found a \(value.typeName)",
                        at: location, key: key)
                    return nil
                }
                return CustomizationEntry(key: key, value: .message(message), location: location)
            }
            return CustomizationEntry(key: key, value: value, location: location)
        }
        return StringsTable(file: location.file, entries: entries)
    }

    static func invalid(_ reason: String, _ file: String) -> CustomizationError {
        CustomizationError(.invalidUpdate, key: file, expected: reason, location: CustomizationLocation(file: file))
    }
}

extension CustomizationUpdate {
    /// The lines before the payload.
    private struct Header {
        var version = 0
        var checksum = ""
        var name: String?
        var environment: String?
        var signature: [UInt8]?
        /// The bytes that the signature covers.
        var signed: [UInt8] = []
        /// The offset of the payload.
        var end = 0

        private static let longest = 64 << 10

        init(_ bytes: [UInt8], file: String) throws(CustomizationError) {
            var at = 0
            func line() -> String? {
                guard at < Self.longest,
                    let end = bytes[at...].prefix(4_096).firstIndex(of: UInt8(ascii: "\n"))
                else { return nil }
                defer { at = end + 1 }
                return String(decoding: bytes[at..<end], as: UTF8.self)
            }
            guard line() == CustomizationUpdate.firstLine else {
                throw CustomizationUpdate.invalid(
                    "expected the line \"\(CustomizationUpdate.firstLine)\"; the file is not an update", file)
            }
            var signedEnd = 0
            while let text = line() {
                if text.isEmpty {
                    end = at
                    break
                }
                guard signature == nil else {
                    throw CustomizationUpdate.invalid("the signature is not the last line of the head", file)
                }
                let name = text.prefix { $0 != ":" }
                let value = String(text[name.endIndex...].dropFirst()).trimmingSpace()
                switch name {
                case "version": version = Int(value) ?? 0
                case "sha256": checksum = value.lowercased()
                case "name": self.name = value
                case "environment": environment = value
                case "signature":
                    signature = Base64.decode(value.utf8) ?? []
                    continue
                default: break  // A later version of this format can have more lines.
                }
                signedEnd = at
            }
            signed = Array(bytes[..<signedEnd])
            guard version > 0, end > 0 else {
                throw CustomizationUpdate.invalid("expected \"version:\" and a positive number", file)
            }
        }
    }

    package static let firstLine = "ashlar-strings 1"
}

extension Customization {
    /// Returns the stack with the texts of an update, or without an update.
    ///
    /// - Parameter update: The update, which replaces an earlier one; nil restores the texts of the app.
    /// - Returns: The new snapshot.
    /// - Complexity: O(*n*) in the entries of the stack.
    public func with(update: CustomizationUpdate?) -> Customization { with(updated: update?.strings) }

    /// The version of the current update, if any.
    public var updateVersion: Int? { updatedStrings?.version }
}
