internal import AshlarCore
public import AshlarEventBus
internal import AshlarNetworking

/// Recorded events that can be triggered again in their order.
///
/// Invalid lines are skipped and listed in ``problems``: a truncated last line, a line of another version, or damaged
/// JSON.
///
/// ```swift
/// import AshlarEventBus
///
/// var catalog = EventCatalog()
/// catalog.add(Topic<Int>("note:selected"))
/// let lines = #"{"v":1,"n":1,"name":"note:selected","payload":5}"# + "\n"
/// let recording = EventRecording(parsing: lines)
/// let bus = EventBus()
/// let watch = bus.watch(Topic<Int>("note:selected")) { print($0.payload) }
/// print(recording.replay(on: bus, catalog).isEmpty)  // 5, true
/// watch.cancel()
/// ```
public struct EventRecording: Sendable {
    /// The events that could be read, in the order of the lines.
    public let events: [RecordedEvent]
    /// The lines that couldn't be read; the location of each error is its line.
    public let problems: [EventBusError]

    /// Reads lines of JSON; empty lines are ignored.
    ///
    /// - Parameters:
    ///   - text: The lines.
    ///   - file: The name of their file, for the locations of problems.
    /// - Complexity: O(*n*) in the length of the text.
    public init(parsing text: String, file: String = "recording") { self.init(Array(text.utf8), file: file) }

    /// Reads the lines of a file.
    ///
    /// - Throws: `EventBusError` with the code `recordingUnreadable`.
    public init(contentsOf path: String) throws(EventBusError) {
        do { self.init(try WholeFile.read(path), file: path) } catch {
            throw EventBusError(.recordingUnreadable, subject: path, found: error.description)
        }
    }

    private init(_ bytes: [UInt8], file: String) {
        var events: [RecordedEvent] = []
        var problems: [EventBusError] = []
        func isBlank(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
        }
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !line.allSatisfy(isBlank) {
            do throws(EventBusError) {
                events.append(try RecordedEvent(try JSONEntity(ofEvent: Array(line))))
            } catch {
                var problem = error
                problem.location = EventLocation(file: file, line: index + 1)
                problems.append(problem)
            }
        }
        self.events = events
        self.problems = problems
    }

    /// Triggers the events on a bus one at a time, with their metadata.
    ///
    /// Events whose names aren't in the catalog have a ``RawEventPayload``.
    ///
    /// - Parameters:
    ///   - bus: The bus.
    ///   - catalog: Decodes the payloads.
    ///   - each: Called after each event with its result.
    /// - Returns: The errors of the events that couldn't be triggered, because their payloads weren't recorded or
    ///   aren't of the types of their topics, such as redacted ones.
    @discardableResult
    public func replay(
        on bus: EventBus, _ catalog: EventCatalog, each: (RecordedEvent, DeliveryResult) -> Void = { _, _ in }
    ) -> [EventBusError] {
        var failures: [EventBusError] = []
        for event in events {
            do throws(EventBusError) { each(event, try replay(event, on: bus, catalog)) } catch {
                failures.append(error)
            }
        }
        return failures
    }

    private func replay(
        _ event: RecordedEvent, on bus: EventBus, _ catalog: EventCatalog
    ) throws(EventBusError) -> DeliveryResult {
        if let type = event.unencodedType {
            throw EventBusError(
                .payloadNotCodable, subject: event.name, expected: "a recorded payload",
                found: "one of the type \(type), which wasn't encoded")
        }
        let payload: any Sendable =
            try event.payload.map { value throws(EventBusError) in
                try catalog.decode(value, name: event.name)
            } ?? ()
        return try catalog.trigger(event.name, payload, on: bus, event.metadata)
    }
}

extension EventBusError.Code {
    /// The file of a recording can't be read.
    public static let recordingUnreadable = Self("recordingUnreadable")
}

/// One event of a recording.
public struct RecordedEvent: Sendable, CustomStringConvertible {
    /// The number of the event in its recording, from 1.
    package let number: Int
    /// The name of the topic.
    public let name: String
    /// The origin of the event.
    public let metadata: EventMetadata?
    /// The source line of the trigger; nil if it wasn't recorded.
    package let location: EventLocation?
    /// The payload as JSON; nil for an event without data, and for a payload that couldn't be encoded.
    public var json: String? { payload?.text() }
    let payload: JSONEntity?
    /// The type of a payload that couldn't be encoded; nil otherwise.
    package let unencodedType: String?

    /// The event as one line of JSON.
    public var description: String { line.text() }

    /// The version of the format that this module writes.
    static let version = 1

    init(
        number: Int, name: String, metadata: EventMetadata?, location: EventLocation?, payload: JSONEntity?,
        unencodedType: String?
    ) {
        self.number = number
        self.name = name
        self.metadata = metadata
        self.location = location
        self.payload = payload
        self.unencodedType = unencodedType
    }

    private var line: JSONEntity {
        // Missing values are omitted.
        func string(_ text: String?) -> JSONEntity { text.map { JSONEntity($0) } ?? .missing }
        let metadata = metadata.flatMap { try? JSONEntity(ofPayload: $0) } ?? JSONEntity(object: [])
        return JSONEntity(object: [
            ("v", JSONEntity(Self.version)), ("n", JSONEntity(number)), ("name", JSONEntity(name)),
            ("time", metadata["time"]), ("source", metadata["source"]), ("correlation", metadata["correlation"]),
            ("traceparent", metadata["traceparent"]), ("tracestate", metadata["tracestate"]),
            ("headers", metadata["headers"]), ("at", string(location?.description)),
            ("unencoded", string(unencodedType)), ("payload", payload ?? .missing),
        ])
    }

    /// Reads a line; unknown members are ignored.
    init(_ line: JSONEntity) throws(EventBusError) {
        func invalid(_ expected: String) -> EventBusError {
            EventBusError(.malformedRecording, subject: line.text(), expected: expected)
        }
        guard line.isObject else { throw invalid("an object") }
        guard let version = line["v"].numberText() else { throw invalid("a version under \"v\"") }
        guard version == "\(Self.version)" else {
            throw EventBusError(
                .recordingVersion, subject: line["name"].string(""), expected: "version \(Self.version)",
                found: "version \(version)")
        }
        guard let number = line["n"].numberText().flatMap({ Int($0) }) else { throw invalid("an integer under \"n\"") }
        guard let name = line["name"].string() else { throw invalid("a string under \"name\"") }
        let metadata: EventMetadata
        do { metadata = try line.decoded(EventMetadata.self, format: nil) } catch let error as EventBusError {
            throw error
        } catch {
            throw invalid("metadata: \(EventBusError.reason(of: error))")
        }
        self.init(
            number: number, name: name, metadata: metadata == EventMetadata() ? nil : metadata,
            location: line["at"].string().flatMap { Self.location($0) },
            payload: line["payload"].isValid ? line["payload"] : nil, unencodedType: line["unencoded"].string())
    }

    private static func location(_ text: String) -> EventLocation? {
        let parts = text.split(separator: ":")
        guard parts.count >= 2, let line = Int(parts[1]) else { return nil }
        return EventLocation(file: String(parts[0]), line: line)
    }
}

extension EventBusError.Code {
    /// The line isn't one of a recording.
    package static let malformedRecording = Self("malformedRecording")
    /// The line was written by another version of the format.
    package static let recordingVersion = Self("recordingVersion")
}
