internal import AshlarCore

/// Recorded events that can be triggered again in their order.
///
/// Invalid lines are skipped and listed in ``problems``: a truncated last line, a line of another version, or damaged
/// JSON.
///
/// ```swift
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
    /// - Throws: ``EventBusError`` with the code `recordingUnreadable`.
    public init(contentsOf path: String) throws(EventBusError) {
        do { self.init(try WholeFile.read(path), file: path) } catch {
            throw EventBusError(.recordingUnreadable, subject: path, found: error.description)
        }
    }

    private init(_ bytes: [UInt8], file: String) {
        var (events, problems): ([RecordedEvent], [EventBusError]) = ([], [])
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) {
            do throws(EventBusError) {
                events.append(try RecordedEvent(try CodedValue(json: Array(line))))
            } catch {
                var problem = error
                problem.location = EventLocation(file: file, line: index + 1)
                problems.append(problem)
            }
        }
        (self.events, self.problems) = (events, problems)
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
