internal import AshlarCore
internal import AshlarLogging
internal import AshlarNetworking
public import AshlarTelemetry

/// A line of the log of one process among many.
public struct FleetLogLine: Sendable, CustomStringConvertible {
    /// The role of the process that stored the line; empty if it has none.
    public let role: String
    /// The machine of that process.
    public let host: String
    /// The application that wrote the line; empty if it isn't known.
    public let application: String
    /// The line, with the ID of the process that wrote it.
    public let line: LogLine

    /// The role, the machine and the process, then the line as in its file.
    public var description: String { "\(role)@\(host)[\(line.processID)] \(line)" }
}

/// Reads the lines that processes with a ``FleetOptions/logFolder`` have stored on the server.
///
/// Lines of one file remain in order; those of several processes have the order in which the server stored them, in batches.
/// The end of each run is a line with the context `run`.
///
/// ```swift
/// import AshlarFleet
///
/// let reader = try await FleetLogReader("nats://127.0.0.1:4222")
/// for try await line in reader.lines() { print(line) }
/// ```
public struct FleetLogReader: Sendable {
    private let connection: NatsConnection

    /// Creates a reader, and waits for the end of its first attempt to connect; see ``state``.
    ///
    /// - Parameters:
    ///   - servers: The URLs as for a ``Fleet``.
    ///   - options: The settings of the connection.
    /// - Throws: ``FleetError`` with the code `libraryMissing` or `invalidOptions`.
    public init(_ servers: String, options: FleetOptions = FleetOptions()) async throws(FleetError) {
        connection = try NatsConnection(servers, options)
        await connection.firstAttempt()
    }

    /// The state of the connection.
    public var state: FleetState { connection.state.current }

    /// Returns the stored lines that match, and ends after the newest one.
    ///
    /// The sequence throws ``FleetError`` without a connection. It asks the server for one batch of lines at a time.
    ///
    /// - Complexity: O(*n*) in the size of all stored lines.
    public func lines(matching query: LogQuery = LogQuery()) -> AsyncThrowingStream<FleetLogLine, any Error> {
        read(query, from: 1, endsAfterNewest: true)
    }

    /// Returns new lines that match, as they are stored, until the task is cancelled.
    ///
    /// The sequence waits for a server that isn't there. It asks for new lines five times per second.
    ///
    /// - Parameters:
    ///   - query: The conditions for lines.
    ///   - fromStart: Whether the sequence starts with the stored lines.
    /// - Returns: The lines.
    public func follow(
        matching query: LogQuery = LogQuery(), fromStart: Bool = false
    ) -> AsyncThrowingStream<FleetLogLine, any Error> {
        read(query, from: fromStart ? 1 : nil, endsAfterNewest: false)
    }

    private func read(
        _ query: LogQuery, from start: Int?, endsAfterNewest: Bool
    ) -> AsyncThrowingStream<FleetLogLine, any Error> {
        let reading = Reading(connection, query, start, endsAfterNewest)
        return AsyncThrowingStream { try await reading.next() }
    }
}

/// The position of a reader in the stream.
private actor Reading {
    private let connection: NatsConnection
    private let query: LogQuery
    /// The number of the first message; nil for the next new one.
    private var start: Int?
    private let endsAfterNewest: Bool
    private let stream: String
    /// The number of the next message; nil before the stream is known.
    private var number: Int?
    private var waiting: ArraySlice<FleetLogLine> = []

    init(_ connection: NatsConnection, _ query: LogQuery, _ start: Int?, _ endsAfterNewest: Bool) {
        self.connection = connection
        self.query = query
        self.start = start
        self.endsAfterNewest = endsAfterNewest
        stream = connection.options.prefix + "_logs"
    }

    func next() async throws -> FleetLogLine? {
        while !Task.isCancelled {
            if let line = waiting.popFirst() { return line }
            do {
                if try await readMessage() { continue }
            } catch let error as FleetError where error.isMissingStream {
                start = 1
            } catch let error as FleetError where !endsAfterNewest && error.code != .rejected {
                // The connection is lost for now.
            }
            if endsAfterNewest { return nil }
            try? await Task.sleep(for: .milliseconds(200))
        }
        return nil
    }

    /// Reads the next message of the stream; returns false at its end.
    private func readMessage() async throws -> Bool {
        guard let number else {
            // The server doesn't respond to a read of a stream that doesn't exist.
            let end = try await connection.call("STREAM.INFO.\(stream)")["state"]["last_seq"].int(0)
            number = start ?? end + 1
            return true
        }
        let wanted = [("seq", JSONEntity(number)), ("next_by_subj", JSONEntity(stream + ".>"))]
        guard let message = try await connection.message(in: stream, wanted), let sequence = message.sequence else {
            return false
        }
        self.number = sequence + 1
        waiting = Self.lines(of: message, query)[...]
        return true
    }

    /// Returns the lines of a message that match; its subject ends with `run-TIME-PROCESS-TAG`, and the kind of the file.
    private static func lines(of message: NatsMessage, _ query: LogQuery) -> [FleetLogLine] {
        let name = message.subject.split(separator: ".").dropFirst().first ?? ""
        let parts = name.split(separator: "-").compactMap { Int64($0) }
        let lines = query.lines(
            in: message.payload, startedAt: LogTime(nanoseconds: parts.first ?? 0),
            processID: Int32(clamping: parts.dropFirst().first ?? 0))
        return lines.map { line in
            FleetLogLine(
                role: message.headers[NatsHeader.role] ?? "", host: message.headers[NatsHeader.host] ?? "",
                application: message.headers[NatsHeader.application] ?? "", line: line)
        }
    }
}
