extension StringsParser {
    /// CoreFoundation's result for the file.
    enum FoundationResult {
        case table
        case value(CustomizationValue)
        case rejected
    }

    /// Parses like CoreFoundation: one value; if that is a string and more text follows, statements from the start.
    mutating func parseAsFoundation() -> FoundationResult {
        guard !scanner.bytes.isEmpty else { return .rejected }
        guard scanner.skipSpace() else { return .table }
        let begin = scanner.at
        if scanner.bytes[begin] == UInt8(ascii: "{") {
            return parseWholeDictionary()
        }
        let value = parseValue(depth: 0)
        let more = scanner.skipSpace()
        guard let value else { return .rejected }
        if !more { return .value(value) }
        guard case .string = value else { return .rejected }
        scanner.at = begin
        return parseFoundationStatements() ? .table : .rejected
    }

    private mutating func parseWholeDictionary() -> FoundationResult {
        scanner.at += 1
        guard parseFoundationStatements(), scanner.skipSpace(), scanner.bytes[scanner.at] == UInt8(ascii: "}") else {
            return .rejected
        }
        scanner.at += 1
        return scanner.skipSpace() ? .rejected : .table
    }

    /// Parses statements until one doesn't start with a key; returns false if a statement is malformed.
    private mutating func parseFoundationStatements() -> Bool {
        while scanner.skipSpace() {
            let start = scanner.at
            guard case .found(let key)? = parseText() else { return true }
            guard scanner.skipSpace() else { return false }
            switch scanner.bytes[scanner.at] {
            case UInt8(ascii: ";"):
                builder.append(key: key, text: key, statement: .init(start: start, end: scanner.at))
            case UInt8(ascii: "="):
                scanner.at += 1
                guard scanner.skipSpace() else { return false }
                switch parseText() {
                case .found(let text)?:
                    builder.append(key: key, text: text, statement: .init(start: start, end: scanner.at))
                case .unterminated?: return false
                case nil:
                    guard let value = parseValue(depth: 1) else { return false }
                    builder.append(key: key, value: value, statement: .init(start: start, end: scanner.at))
                }
            default: return false
            }
            guard scanner.skipSpace(), scanner.bytes[scanner.at] == UInt8(ascii: ";") else { return false }
            scanner.at += 1
        }
        return true
    }
}
