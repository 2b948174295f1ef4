internal import AshlarCore
internal import AshlarLogging
internal import AshlarTrees

/// Parses JSON lines of every profile by their member names.
enum JSONLineParser {
    /// Whether ``parse(_:)`` returns a line; this is faster because most lines needn't be parsed.
    static func canParse(_ line: [UInt8]) -> Bool {
        guard let document = try? JSONDocument(line), document.kind(at: 0) == .object else { return false }
        if let message = document.find("message", in: 0), document.kind(at: message + 1) == .string { return true }
        return parse(line) != nil
    }

    /// Parses one object; returns nil if it isn't valid JSON or has no message.
    static func parse(_ line: [UInt8]) -> ParsedLine? {
        guard let document = try? JSONDocument(line), document.kind(at: 0) == .object else { return nil }
        var object = JSONLineObject(document: document)
        for key in document.children(of: 0) { object.read(document.string(at: key), at: key + 1) }
        return object.hasMessage ? object.parsed : nil
    }
}

/// Collects the members of one line.
private struct JSONLineObject {
    let document: JSONDocument
    var parsed = ParsedLine()
    var hasMessage = false

    mutating func read(_ name: String, at index: Int) {
        switch name {
        case "time": parsed.time = text(index).flatMap { LogTime(rfc3339: $0.utf8) }
        case "timeUnixNano":
            parsed.time = text(index).flatMap { Int64($0) }.map { LogTime(nanoseconds: $0) }
        case "seq": parsed.sequence = document.isNumber(index) ? document.uint64(at: index) ?? 0 : 0
        case "level", "severityText":
            parsed.level = text(index).flatMap { LogLevel(name: $0) } ?? parsed.level
        case "depth":
            parsed.depth = document.isNumber(index) ? document.int64(at: index).map { Int(clamping: $0) } ?? 0 : 0
        case "context": parsed.context = text(index) ?? ""
        case "message": setMessage(text(index))
        case "body": if case .string(let text) = anyValue(index) { setMessage(text) }
        case "file": parsed.file = text(index) ?? ""
        case "function": parsed.function = text(index) ?? ""
        case "line": parsed.line = number(index).map { UInt(clamping: $0) } ?? 0
        case "thread": parsed.threadID = number(index) ?? 0
        case "fields": if case .object(let fields) = value(index) { parsed.fields = fields }
        case "attributes" where document.kind(at: index) == .array: readAttributes(index)
        default: break
        }
    }

    private mutating func setMessage(_ text: String?) {
        guard let text else { return }
        parsed.message = text
        hasMessage = true
    }

    private func text(_ index: Int) -> String? {
        document.kind(at: index) == .string ? document.string(at: index) : nil
    }

    private func number(_ index: Int) -> UInt64? { document.isNumber(index) ? document.uint64(at: index) : nil }

    private func value(_ index: Int) -> LogFieldValue {
        switch document.kind(at: index) {
        case .null: return .none
        case .bool: return .boolean(document.isTrue(at: index))
        case .string: return .string(document.string(at: index))
        case .integer:
            if let number = document.int64(at: index) { return .integer(number) }
            if let number = document.uint64(at: index) { return .unsigned(number) }
            return .float(document.double(at: index) ?? .infinity)
        case .fraction: return .float(document.double(at: index) ?? .infinity)
        case .array: return .array(document.children(of: index).map { value($0) })
        case .object:
            return .object(
                LogFields(
                    document.children(of: index).map {
                        LogFields.Element(key: document.string(at: $0), value: value($0 + 1))
                    }))
        }
    }

    // MARK: OpenTelemetry

    private mutating func readAttributes(_ index: Int) {
        var rest: [LogFields.Element] = []
        for (key, value) in pairs(index) {
            switch (key, value) {
            case ("code.file.path", .string(let text)): parsed.file = text
            case ("code.function.name", .string(let text)): parsed.function = text
            case ("code.line.number", .integer(let number)): parsed.line = UInt(clamping: number)
            case ("thread.id", .integer(let number)): parsed.threadID = UInt64(clamping: number)
            case ("log.context", .string(let text)): parsed.context = text
            default: rest.append(LogFields.Element(key: key, value: value))
            }
        }
        parsed.fields = LogFields(restoring: rest)
    }

    /// The key and value of each object of an array.
    private func pairs(_ index: Int) -> [(String, LogFieldValue)] {
        document.children(of: index).compactMap { item in
            guard document.kind(at: item) == .object, let key = document.find("key", in: item),
                let value = document.find("value", in: item), let name = text(key + 1)
            else { return nil }
            return (name, anyValue(value + 1))
        }
    }

    /// Returns a value of OTLP: an object with one member whose key is the type.
    private func anyValue(_ index: Int) -> LogFieldValue {
        guard document.kind(at: index) == .object,
            let type = document.children(of: index).first(where: { _ in true })
        else { return .none }
        let inner = type + 1
        switch document.string(at: type) {
        case "intValue": return text(inner).flatMap { Int64($0) }.map { .integer($0) } ?? value(inner)
        case "arrayValue": return .array(items(of: inner).map(anyValue))
        case "kvlistValue":
            guard document.kind(at: inner) == .object, let values = document.find("values", in: inner),
                document.kind(at: values + 1) == .array
            else { return .none }
            return .object(LogFields(pairs(values + 1).map { LogFields.Element(key: $0.0, value: $0.1) }))
        default: return value(inner)
        }
    }

    private func items(of index: Int) -> [Int] {
        guard document.kind(at: index) == .object, let values = document.find("values", in: index),
            document.kind(at: values + 1) == .array
        else { return [] }
        return Array(document.children(of: values + 1))
    }
}

extension JSONDocument {
    fileprivate func isNumber(_ index: Int) -> Bool { kind(at: index) == .integer || kind(at: index) == .fraction }
}
