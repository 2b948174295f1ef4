internal import AshlarCore

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
    public var json: String? { payload?.json }
    let payload: CodedValue?
    /// The type of a payload that couldn't be encoded; nil otherwise.
    package let unencodedType: String?

    /// The event as one line of JSON.
    public var description: String { line.json }

    /// The version of the format that this module writes.
    static let version = "1"

    init(
        number: Int, name: String, metadata: EventMetadata?, location: EventLocation?, payload: CodedValue?,
        unencodedType: String?
    ) {
        (self.number, self.name, self.metadata, self.location) = (number, name, metadata, location)
        (self.payload, self.unencodedType) = (payload, unencodedType)
    }

    var line: CodedValue {
        var members: [(String, CodedValue)] = [("v", .number(Self.version)), ("n", .number("\(number)"))]
        members.append(("name", .string(name)))
        if let time = metadata?.time { members.append(("time", .number("\(Self.nanoseconds(time))"))) }
        if let source = metadata?.source { members.append(("source", .string(source))) }
        if let correlation = metadata?.correlationID { members.append(("correlation", .string(correlation))) }
        if let parent = metadata?.traceParent { members.append(("traceparent", .string(parent.description))) }
        if let location { members.append(("at", .string(location.description))) }
        if let unencodedType { members.append(("unencoded", .string(unencodedType))) }
        if let payload { members.append(("payload", payload)) }
        return .object(members)
    }

    /// Reads a line; unknown members are ignored.
    init(_ line: CodedValue) throws(EventBusError) {
        func invalid(_ expected: String) -> EventBusError {
            EventBusError(.malformedRecording, subject: line.json, expected: expected)
        }
        guard case .object = line else { throw invalid("an object") }
        guard case .number(let version)? = line["v"] else { throw invalid("a version under \"v\"") }
        guard version == Self.version else {
            throw EventBusError(
                .recordingVersion, subject: line["name"]?.string ?? "", expected: "version \(Self.version)",
                found: "version \(version)")
        }
        guard case .number(let text)? = line["n"], let number = Int(text) else {
            throw invalid("an integer under \"n\"")
        }
        guard let name = line["name"]?.string else { throw invalid("a string under \"name\"") }
        var metadata = EventMetadata()
        if let time = line["time"] {
            guard case .number(let text) = time, let nanoseconds = Int64(text) else {
                throw invalid("an integer under \"time\"")
            }
            metadata.time = .nanoseconds(nanoseconds)
        }
        metadata.source = line["source"]?.string
        metadata.correlationID = line["correlation"]?.string
        if let parent = line["traceparent"]?.string { metadata.traceParent = try TraceParent(parsing: parent) }
        self.init(
            number: number, name: name, metadata: metadata == EventMetadata() ? nil : metadata,
            location: line["at"]?.string.flatMap { Self.location($0) }, payload: line["payload"],
            unencodedType: line["unencoded"]?.string)
    }

    private static func nanoseconds(_ time: Duration) -> Int64 {
        let (seconds, rest) = time.components
        let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLarge ? (seconds < 0 ? .min : .max) : product &+ rest / 1_000_000_000
    }

    private static func location(_ text: String) -> EventLocation? {
        let parts = text.split(separator: ":")
        guard parts.count >= 2, let line = Int(parts[1]) else { return nil }
        return EventLocation(file: String(parts[0]), line: line, column: parts.count > 2 ? Int(parts[2]) ?? 0 : 0)
    }
}

extension EventBusError.Code {
    /// The line isn't one of a recording.
    package static let malformedRecording = Self("malformedRecording")
    /// The line was written by another version of the format.
    package static let recordingVersion = Self("recordingVersion")
}
