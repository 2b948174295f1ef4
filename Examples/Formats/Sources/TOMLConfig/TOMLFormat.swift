public import AshlarAppConfig
import CTOML

/// TOML 1.0 over toml++, for files of a configuration.
///
/// ```swift
/// var plan = ConfigPlan(files: .directory("/etc/acme"))
/// plan.formats["toml"] = TOMLFormat()
/// ```
///
/// Dates and times are strings in the form of TOML, which configurations read as dates. Each value has its line.
public struct TOMLFormat: ConfigFormat {
    /// Creates the format.
    public init() {}

    /// Reads the bytes of a file.
    public func document(from bytes: [UInt8], limits: ConfigLimits) throws -> ConfigDocument {
        let reader = TOMLReader(limits: limits)
        var error = ctoml_error()
        let isRead = bytes.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { text in
                ctoml_read(
                    text.baseAddress, text.count, Unmanaged.passUnretained(reader).toOpaque(),
                    { context, event in
                        guard let context, let event else { return false }
                        return Unmanaged<TOMLReader>.fromOpaque(context).takeUnretainedValue().add(event.pointee)
                    }, &error)
            }
        }
        if let problem = reader.problem { throw problem }
        guard isRead else {
            let reason = withUnsafeBytes(of: error.reason) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            throw ConfigError.malformed(reason, line: Int(error.line), column: Int(error.column))
        }
        return reader.document
    }
}

/// Collects the values of a file; only the thread that reads it uses the object.
private final class TOMLReader {
    private struct Frame {
        var path: [ConfigPath.Component]
        /// The number of elements, if it is an array.
        var count: Int?
        var isEmpty = true
        var line: Int
        var column: Int
    }

    private let limits: ConfigLimits
    private var frames: [Frame] = []
    private var count = 0
    private(set) var document = ConfigDocument()
    /// The error that ended the reading.
    private(set) var problem: (any Error)?

    init(limits: ConfigLimits) { self.limits = limits }

    /// Adds an event; returns false if the file has an error.
    func add(_ event: ctoml_event) -> Bool {
        do {
            try read(event)
            return true
        } catch {
            problem = error
            return false
        }
    }

    private func read(_ event: ctoml_event) throws {
        let (line, column) = (Int(event.line), Int(event.column))
        if event.kind == CTOML_END {
            guard let frame = frames.popLast(), frame.isEmpty, !frame.path.isEmpty else { return }
            let value: ConfigValue = frame.count == nil ? .dictionary([:]) : .array([])
            return try document.set(value, at: ConfigPath(frame.path), line: frame.line, column: frame.column)
        }
        var path = frames.last?.path ?? []
        if let last = frames.indices.last {
            path.append(
                event.key == nil ? .index(frames[last].count ?? 0) : .key(Self.text(event.key, event.key_length)))
            if let count = frames[last].count { frames[last].count = count + 1 }
            frames[last].isEmpty = false
        }
        count += 1
        if count > limits.values {
            throw ConfigError.malformed("more than \(limits.values) values", line: line, column: column)
        }
        let value: ConfigValue
        switch event.kind {
        case CTOML_TABLE, CTOML_ARRAY:
            if frames.count >= limits.depth {
                throw ConfigError.malformed("more than \(limits.depth) nested values", line: line, column: column)
            }
            let isArray = event.kind == CTOML_ARRAY
            return frames.append(Frame(path: path, count: isArray ? 0 : nil, line: line, column: column))
        case CTOML_INTEGER: value = .integer(event.integer)
        case CTOML_NUMBER: value = .real(event.number)
        case CTOML_BOOLEAN: value = .boolean(event.integer != 0)
        default: value = .string(Self.text(event.text, event.text_length))
        }
        try document.set(value, at: ConfigPath(path), line: line, column: column)
    }

    private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
        guard let start else { return "" }
        return UnsafeBufferPointer(start: start, count: count).withMemoryRebound(to: UInt8.self) {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
