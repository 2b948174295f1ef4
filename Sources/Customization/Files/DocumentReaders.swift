internal import AshlarCore
internal import AshlarTrees

extension PlacedValue {
    /// The start of the value in the file's decoded text.
    var offset: Int { Int(place) }

    /// Returns the value without its place; a date becomes a string, and a null an empty string.
    func value() -> CustomizationValue {
        switch content {
        case .string(let text): .string(text)
        case .integer(let number): .int(number)
        case .real(let number): .double(number)
        case .boolean(let flag): .bool(flag)
        case .data(let bytes): .data(bytes)
        case .date(let seconds): .string(Self.dateText(secondsSince2001: seconds))
        case .null, .unsigned, .unsupported: .string("")
        case .array(let elements): .list(elements.map { $0.value() })
        case .dictionary(let members):
            .dict(Dictionary(members.map { ($0.key, $0.value.value()) }, uniquingKeysWith: { $1 }))
        }
    }

    private static func dateText(secondsSince2001 seconds: Double) -> String {
        guard abs(seconds) < 1e14 else { return "" }
        return RFC3339.format(seconds: Int64(seconds.rounded(.down)) + RFC3339.secondsFrom1970To2001)
    }

    /// The string; nil for another type.
    var text: String? {
        if case .string(let text) = content { text } else { nil }
    }

    /// The elements; nil if the value isn't an array.
    var items: [PlacedValue]? {
        if case .array(let elements) = content { elements } else { nil }
    }

    /// The number; nil for another type.
    var number: Double? {
        switch content {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }

    /// Returns the file with this root, without the values that a table can't contain, which are errors.
    fileprivate func file(_ text: SourceText, _ diagnostics: [CustomizationDiagnostic]) -> ReadFile {
        var problems: [SourceProblem] = []
        let root = supported { problems.append(.malformed($0, $1)) }
        return (root, text, diagnostics + problems.map { text.diagnostic($0) })
    }

    /// Returns the value without the parts that a table can't contain, each of which is reported.
    private func supported(_ report: (_ offset: Int, _ message: String) -> Void) -> PlacedValue? {
        var value = self
        switch content {
        case .array(let elements): value.content = .array(elements.compactMap { $0.supported(report) })
        case .dictionary(let members):
            value.content = .dictionary(
                members.compactMap { member in
                    member.value.supported(report).map { Member(member.key, place: member.place, $0) }
                })
        case .unsigned(let number):
            report(offset, "\(number) is greater than 2^63 - 1")
            return nil
        case .unsupported(let found, let expected):
            report(offset, "expected \(expected), found \(found)")
            return nil
        default: break
        }
        return value
    }
}

extension PlacedValue.Member {
    /// The start of the key in the file's decoded text.
    var offset: Int { Int(place) }
}

extension SourceProblem {
    /// An error of a property list or JSON file.
    fileprivate static func malformed(_ offset: Int, _ message: String) -> SourceProblem {
        SourceProblem(offset: offset, code: .malformedFile, message: message)
    }
}

/// The content of a property list or JSON file, the text for locations, and the problems found.
typealias ReadFile = (root: PlacedValue?, text: SourceText, diagnostics: [CustomizationDiagnostic])

/// Parses JSON (RFC 8259) into values with their locations.
enum JSONReader {
    static func read(bytes: [UInt8], file: String) -> ReadFile {
        let text = SourceText(bytes: bytes, file: file)
        if text.isRejected { return (nil, text, text.diagnostics) }
        do throws(JSONSyntaxError) {
            return PlacedValue(try JSONDocument(text.utf8, options: .init(depth: PlacedValue.deepest))).file(
                text, text.diagnostics)
        } catch {
            return (nil, text, text.diagnostics + [text.diagnostic(.malformed(error.offset, error.message))])
        }
    }
}

/// Reads XML and binary property lists.
enum PropertyListReader {
    static func isBinary(_ bytes: [UInt8]) -> Bool { BinaryPropertyListParser.recognizes(bytes) }

    /// Returns whether the text starts like an XML property list, after a byte order mark and whitespace.
    static func isXML(_ bytes: [UInt8]) -> Bool {
        // In every encoding, the first characters are ASCII after zero bytes and marks are removed.
        let head = bytes.prefix(256).filter { $0 != 0 && $0 < 0x80 }
        guard let start = head.firstIndex(where: { !$0.isSpace }) else { return false }
        return ["<?xml", "<!DOCTYPE", "<plist", "<!--"].contains { head[start...].starts(with: $0.utf8) }
    }

    static func read(bytes: [UInt8], file: String) -> ReadFile {
        if isBinary(bytes) {
            // Offsets in a binary file don't help the reader of a message.
            let text = SourceText(withoutLines: file)
            return document(text, []) { () throws(PropertyListError) in try BinaryPropertyListParser.parse(bytes) }
        }
        let text = SourceText(bytes: bytes, file: file)
        if text.isRejected { return (nil, text, text.diagnostics) }
        return document(text, text.diagnostics) { () throws(PropertyListError) in
            try XMLPropertyListParser.parse(text.utf8, markup: .lenient)
        }
    }

    private static func document(
        _ text: SourceText, _ diagnostics: [CustomizationDiagnostic],
        parse: () throws(PropertyListError) -> PropertyListDocument
    ) -> ReadFile {
        do {
            return PlacedValue(try parse()).file(text, diagnostics)
        } catch {
            return (nil, text, diagnostics + [text.diagnostic(.malformed(error.offset, error.message))])
        }
    }
}
