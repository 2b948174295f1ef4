public import AshlarAppConfig
import CYAML

/// YAML 1.2 over libyaml, for files of a configuration.
///
/// ```swift
/// var plan = ConfigPlan(files: .directory("/etc/acme"))
/// plan.formats["yaml"] = YAMLFormat()
/// ```
///
/// Plain scalars are read by the core schema: `null`, `true`, integers and numbers; anything else, such as a date, is a
/// string. Anchors, aliases and merge keys (`<<`) are resolved, and each value has its line. Errors are a root that isn't a
/// mapping, several documents, duplicate keys, and keys that aren't scalars. Tags other than `!!str` are ignored.
public struct YAMLFormat: ConfigFormat {
    /// Creates the format.
    public init() {}

    /// Reads the bytes of a file.
    public func document(from bytes: [UInt8], limits: ConfigLimits) throws -> ConfigDocument {
        var builder = YAMLBuilder(limits: limits)
        try YAMLEvents.read(bytes) { event in try builder.add(event) }
        return try builder.document()
    }
}

/// A position in a file, counted from 1.
struct YAMLPlace {
    var line: Int
    var column: Int

    init(_ mark: yaml_mark_t) {
        line = Int(mark.line) + 1
        column = Int(mark.column) + 1
    }
}

/// One event of libyaml's parser.
struct YAMLEvent {
    enum Kind {
        case documentStart, mappingStart, sequenceStart, end
        case scalar(String, isPlain: Bool)
        case alias(String)
    }

    var kind: Kind
    /// The name by which aliases refer to the value.
    var anchor: String?
    var place: YAMLPlace
}

/// Reads the events of a file.
enum YAMLEvents {
    static func read(_ bytes: [UInt8], _ body: (YAMLEvent) throws -> Void) throws {
        // libyaml keeps pointers into the parser, which must not move.
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        defer { parser.deallocate() }
        guard yaml_parser_initialize(parser) == 1 else { throw ConfigError.malformed("libyaml has no memory") }
        defer { yaml_parser_delete(parser) }
        try bytes.withUnsafeBufferPointer { buffer in
            yaml_parser_set_input_string(parser, buffer.baseAddress, buffer.count)
            var isOver = false
            while !isOver {
                var event = yaml_event_t()
                guard yaml_parser_parse(parser, &event) == 1 else { throw error(of: parser.pointee) }
                defer { yaml_event_delete(&event) }
                isOver = event.type == YAML_STREAM_END_EVENT
                if let event = self.event(event) { try body(event) }
            }
        }
    }

    private static func error(of parser: yaml_parser_t) -> ConfigError {
        let problem = parser.problem.map { String(cString: $0) } ?? "not YAML"
        let place = YAMLPlace(parser.problem_mark)
        return .malformed(problem, line: place.line, column: place.column)
    }

    /// Returns an event without pointers; nil for events that have no meaning here.
    private static func event(_ event: yaml_event_t) -> YAMLEvent? {
        func anchor(_ text: UnsafeMutablePointer<yaml_char_t>?) -> String? { text.map { String(cString: $0) } }
        let place = YAMLPlace(event.start_mark)
        switch event.type {
        case YAML_DOCUMENT_START_EVENT: return YAMLEvent(kind: .documentStart, place: place)
        case YAML_MAPPING_START_EVENT:
            return YAMLEvent(kind: .mappingStart, anchor: anchor(event.data.mapping_start.anchor), place: place)
        case YAML_SEQUENCE_START_EVENT:
            return YAMLEvent(kind: .sequenceStart, anchor: anchor(event.data.sequence_start.anchor), place: place)
        case YAML_MAPPING_END_EVENT, YAML_SEQUENCE_END_EVENT: return YAMLEvent(kind: .end, place: place)
        case YAML_ALIAS_EVENT:
            return YAMLEvent(kind: .alias(anchor(event.data.alias.anchor) ?? ""), place: place)
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            let isPlain = scalar.plain_implicit == 1 && scalar.style == YAML_PLAIN_SCALAR_STYLE
            return YAMLEvent(
                kind: .scalar(String(decoding: bytes, as: UTF8.self), isPlain: isPlain), anchor: anchor(scalar.anchor),
                place: place)
        default: return nil
        }
    }
}
