internal import AshlarCore

/// Reads the statements of a strings file into a table.
struct StringsParser {
    /// The location and reason of a malformed value.
    struct Failure: Error {
        var offset: Int
        var code: CustomizationDiagnostic.Code
        var message: String
    }

    /// The result of a search for a closing quote.
    struct QuoteSearch {
        /// The range from the opening quote to the end of the search; all quotes in it are escaped.
        var range = 0..<0
        /// The byte after the closing quote and whitespace; nil if there is none on the line.
        var next: Int?
    }

    static let maximumDepth = 512
    /// The maximum number of listed problems; further problems are only counted.
    static let maximumDiagnostics = 1000

    var scanner: StringsScanner
    var builder: StringsTableBuilder
    var diagnostics: [CustomizationDiagnostic] = []
    var unlistedDiagnostics = 0
    /// Whether one of the unlisted diagnostics is an error.
    var hasUnlistedError = false
    var failure: Failure?
    /// The number of bytes that recovery has read again, which is limited so that reading takes linear time.
    var reread = 0
    /// The number of suspicious comments that have been searched for statements.
    var checkedComments = 0
    /// The last search for a closing quote of each kind, which prevents repeated searches.
    var searched = (double: QuoteSearch(), single: QuoteSearch())

    init(_ bytes: UnsafeBufferPointer<UInt8>, text: SourceText) {
        scanner = StringsScanner(bytes)
        builder = StringsTableBuilder(text: text)
        // Few statements are shorter than this.
        builder.records.reserveCapacity(bytes.count / 64)
    }

    mutating func report(
        _ offset: Int, _ severity: CustomizationDiagnostic.Severity, _ code: CustomizationDiagnostic.Code,
        _ message: String, key: String? = nil, fix: String? = nil, related: Int? = nil
    ) {
        guard diagnostics.count < Self.maximumDiagnostics else {
            unlistedDiagnostics += 1
            hasUnlistedError = hasUnlistedError || severity == .error
            return
        }
        diagnostics.add(
            severity, code, message, at: builder.text.location(ofByte: offset), key: key, fix: fix,
            related: related.map { builder.text.location(ofByte: $0) })
    }

    /// Stores the first failure in a value; returns nil.
    mutating func fail(
        _ offset: Int, _ code: CustomizationDiagnostic.Code, _ message: String
    ) -> CustomizationValue? {
        if failure == nil { failure = Failure(offset: offset, code: code, message: message) }
        return nil
    }

    func string(_ slice: StringsTable.Slice) -> String {
        slice.isDecoded
            ? String(decoding: scanner.decoded[slice.range], as: UTF8.self)
            : String(decoding: scanner.bytes[slice.range], as: UTF8.self)
    }

    /// Returns the character at an offset for messages.
    func character(at offset: Int) -> String {
        guard offset < scanner.bytes.count else { return "the end of the file" }
        let scalar = String(decoding: scanner.bytes[offset..<min(offset + 4, scanner.bytes.count)], as: UTF8.self)
            .unicodeScalars.first
        guard let scalar else { return "nothing" }
        if scalar.value < 0x20 || scalar.value == 0x7F || scalar.value == 0xA0
            || scalar.properties.isDefaultIgnorableCodePoint
        {
            return "U+" + scalar.value.digits(4, radix: 16, uppercase: true)
        }
        return "\"\(scalar)\""
    }
}

// MARK: - Values

extension StringsParser {
    /// Parses a string; returns nil without moving if no string starts here.
    mutating func parseText() -> StringsScanner.Text? {
        let c = scanner.bytes[scanner.at]
        if c == UInt8(ascii: "\"") || c == UInt8(ascii: "'") { return scanner.quotedText() }
        if StringsScanner.isBareCharacter(c) { return .found(scanner.bareText()) }
        return nil
    }

    /// Parses a list, dictionary or data value; returns nil with a `failure` if it is malformed.
    mutating func parseContainer(depth: Int) -> CustomizationValue? {
        let start = scanner.at
        scanner.at += 1
        switch scanner.bytes[start] {
        case UInt8(ascii: "{"): return parseDictionary(from: start, depth: depth)
        case UInt8(ascii: "("): return parseList(from: start, depth: depth)
        default: return parseData(from: start)
        }
    }

    /// Parses any value; returns nil with a `failure`, or without one if no value starts here.
    mutating func parseValue(depth: Int) -> CustomizationValue? {
        guard scanner.skipSpace() else { return nil }
        let start = scanner.at
        guard depth <= Self.maximumDepth else {
            // The end of an empty list isn't a value.
            if scanner.bytes[start] == UInt8(ascii: ")") { return nil }
            return fail(start, .tooDeep, "values are nested more than \(Self.maximumDepth) deep")
        }
        switch scanner.bytes[start] {
        case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "<"): return parseContainer(depth: depth)
        default:
            guard let text = parseText() else { return nil }
            guard case .found(let slice) = text else {
                return fail(start, .unterminatedString, "unterminated string")
            }
            return .string(string(slice))
        }
    }

    private mutating func parseList(from start: Int, depth: Int) -> CustomizationValue? {
        var items: [CustomizationValue] = []
        while let item = parseValue(depth: depth + 1) {
            items.append(item)
            guard scanner.skipSpace() else {
                return fail(start, .malformedContainer, "unterminated list")
            }
            guard scanner.bytes[scanner.at] == UInt8(ascii: ",") else { break }
            scanner.at += 1
        }
        if failure != nil { return nil }
        guard scanner.skipSpace() else {
            return fail(start, .malformedContainer, "unterminated list")
        }
        guard scanner.bytes[scanner.at] == UInt8(ascii: ")") else {
            return fail(
                scanner.at, .malformedContainer, "expected \",\" or \")\" in a list, found \(character(at: scanner.at))"
            )
        }
        scanner.at += 1
        return .list(items)
    }

    private mutating func parseDictionary(from start: Int, depth: Int) -> CustomizationValue? {
        var members: [String: CustomizationValue] = [:]
        while scanner.skipSpace() {
            let keyStart = scanner.at
            guard let text = parseText() else { break }
            guard case .found(let slice) = text else {
                return fail(keyStart, .unterminatedString, "unterminated key of a dictionary")
            }
            let key = string(slice)
            guard scanner.skipSpace() else { break }
            if members[key] != nil { scanner.events.append(.duplicate(key, at: keyStart)) }
            if scanner.bytes[scanner.at] == UInt8(ascii: "=") {
                scanner.at += 1
                guard let value = parseValue(depth: depth + 1) else {
                    return fail(
                        scanner.at, .malformedContainer,
                        "expected a value in a dictionary, found \(character(at: scanner.at))")
                }
                members[key] = value
            } else {
                members[key] = .string(key)
            }
            guard scanner.skipSpace(), scanner.bytes[scanner.at] == UInt8(ascii: ";") else {
                return fail(
                    scanner.at, .malformedContainer,
                    "expected \";\" in a dictionary, found \(character(at: scanner.at))")
            }
            scanner.at += 1
        }
        guard scanner.skipSpace() else {
            return fail(start, .malformedContainer, "unterminated dictionary")
        }
        guard scanner.bytes[scanner.at] == UInt8(ascii: "}") else {
            return fail(
                scanner.at, .malformedContainer,
                "expected a key or \"}\" in a dictionary, found \(character(at: scanner.at))")
        }
        scanner.at += 1
        return .dict(members)
    }

    private mutating func parseData(from start: Int) -> CustomizationValue? {
        var data: [UInt8] = []
        while scanner.at < scanner.bytes.count {
            let c = scanner.bytes[scanner.at]
            if c == UInt8(ascii: ">") {
                scanner.at += 1
                return .data(data)
            }
            if let high = c.hexValue {
                guard let low = scanner.byte(scanner.at + 1).hexValue else {
                    return fail(scanner.at, .malformedContainer, "expected a pair of hexadecimal digits in data")
                }
                data.append(high << 4 | low)
                scanner.at += 2
            } else if c == 0x20 || c == 0x09 || c == 0x0A || c == 0x0D {
                scanner.at += 1
            } else if scanner.isLineSeparator(scanner.at) {
                scanner.at += 3
            } else {
                return fail(
                    scanner.at, .malformedContainer,
                    "expected a hexadecimal digit in data, found \(character(at: scanner.at))")
            }
        }
        return fail(start, .malformedContainer, "unterminated data")
    }
}
