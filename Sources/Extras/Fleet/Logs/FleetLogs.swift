internal import AshlarCore
internal import AshlarLogging
internal import AshlarNetworking
internal import Foundation

/// Stores the lines of run files in a stream.
///
/// The files are the queue, and the stream is their cursor. Each file has a subject of its own, such as
/// `app_logs.run-….log`. A message contains whole lines and the offset of their end in the file. The server stores it only if
/// it follows the message that the publisher knows, so that a line is neither lost nor repeated whenever a process, the
/// server or the connection ends, also if several processes publish one folder. The outcome of a run has the subject of its
/// state file, and follows its lines.
actor FleetLogs {
    /// How much of a file is stored.
    private struct Cursor {
        var offset = 0
        /// The last message of the file; 0 if there is none, nil if the server must be asked.
        var sequence: Int?
    }

    private let folder: String
    private let connection: NatsConnection
    private let stream: String
    private let headers: [String: String]
    private var cursors: [String: Cursor] = [:]
    /// The runs whose outcomes are stored.
    private var finished: Set<String> = []
    private var hasStream = false
    private let loop = ConnectionLoop()
    /// The age at which the stream removes messages, in seconds; older lines may have been stored before.
    private static let age: Int64 = 7 * 24 * 3600

    init(_ folder: String, _ connection: NatsConnection) {
        self.folder = folder
        self.connection = connection
        stream = connection.options.prefix + "_logs"
        headers = [NatsHeader.role: connection.options.role ?? "", NatsHeader.host: ProcessInfo.processInfo.hostName]
        loop.start(connection, "the log can't be stored on the server", every: .milliseconds(500)) { [weak self] in
            try await self?.publish()
        }
    }

    /// Stores all lines that were written before this call, and ends.
    func finish() async {
        await loop.finish()
        LogSystem.flush()
        try? await publish()
    }

    /// Stores the lines since the last call: those of this process, and those of processes that have ended.
    private func publish() async throws {
        guard connection.state.current.isConnected else { return }
        if !hasStream {
            try await connection.createStream(
                stream, subjects: [stream + ".>"], age: .seconds(Self.age), bytes: 1 << 29)
        }
        // After a failure: perhaps somebody has removed the stream.
        hasStream = false
        // The outcome is read first, so that the files of a finished run are complete when they are read.
        for run in PriorRun.all(in: folder).reversed() where !finished.contains(run.baseName) {
            let isRunning = run.outcome == .stillRunning
            if isRunning, run.processID != ProcessInfo.processInfo.processIdentifier { continue }
            let stateFile = run.baseName + ".state"
            let silence = Self.silence(of: run)
            // A process can log a few lines after the end of its run.
            // A time in the future is that of a clock that was set back.
            if !isRunning, (0..<2).contains(silence) { continue }
            // The outcome of an old run was probably stored, and removed.
            let isStored = isRunning ? false : try await cursor(of: stateFile).sequence ?? 0 > 0
            if isStored || !isRunning && silence > Self.age {
                finished.insert(run.baseName)
                continue
            }
            for path in run.files { try await publish(path, of: run, isRunning: isRunning) }
            if !isRunning { try await send(Array(Self.verdict(of: run).utf8), of: stateFile, run) }
        }
        hasStream = true
    }

    /// The seconds since the last change of a run's files.
    private static func silence(of run: PriorRun) -> Int64 {
        let times = run.files.compactMap { FileStatus($0)?.signature.modified.seconds }
        return Int64(Date().timeIntervalSince1970) - (times.max() ?? run.startedAt.nanoseconds / 1_000_000_000)
    }

    /// The line about the end of a run, with the level that it deserves.
    private static func verdict(of run: PriorRun) -> String {
        let level =
            switch run.outcome {
            case .clean, .endedInBackground, .stillRunning: LogLevel.info
            case .unclean, .machineRestarted: LogLevel.warning
            case .signalled: "\(run.outcome)".hasPrefix("crashed") ? LogLevel.error : .warning
            }
        let lost = run.lostLines > 0 ? "; \(run.lostLines) lines were lost" : ""
        return
            "\(LogTime.now) [\(level)] run - the run that began at \(run.startedAt) has ended: \(run.outcome)\(lost)\n"
    }

    private func publish(_ path: String, of run: PriorRun, isRunning: Bool) async throws {
        let file = String(path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
        // Read once. Holes in the file of a finished run become marks, which follow everything that was read while it ran.
        let finished = isRunning ? nil : RunReader.contents(of: [path], limit: nil)
        while true {
            let limit = min(128 * 1024, connection.maximumPayload)
            let offset = try await cursor(of: file).offset
            let bytes =
                finished.map { Self.lines(in: $0, from: offset, limit: limit) }
                ?? Self.newLines(in: path, from: offset, limit: limit)
            if bytes.isEmpty { return }
            try await send(bytes, of: file, run)
        }
    }

    /// Returns the whole lines that a running process has added to its file.
    private static func newLines(in path: String, from offset: Int, limit: Int) -> [UInt8] {
        // Zeros are free space, or a line that is being written.
        let bytes = RunReader.bytes(of: path, from: offset, limit: limit).prefix { $0 != 0 }
        if bytes.count == limit { return Array(wholeLines(bytes)) }
        return bytes.lastIndex(of: lineEnd).map { Array(bytes[...$0]) } ?? []
    }

    /// Returns whole lines that begin at an offset, or a part of a line that is longer than the limit.
    private static func lines(in contents: [UInt8], from offset: Int, limit: Int) -> [UInt8] {
        let rest = contents.dropFirst(offset)
        return Array(rest.count > limit ? wholeLines(rest.prefix(limit)) : rest)
    }

    private static let lineEnd = UInt8(ascii: "\n")

    /// Returns the bytes up to the end of a line that the next line doesn't continue; all if there is none.
    private static func wholeLines(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = bytes.dropLast()
        while let end = rest.lastIndex(of: lineEnd) {
            if bytes[end + 1] != UInt8(ascii: " ") { return bytes[...end] }
            rest = bytes[..<end]
        }
        return bytes
    }

    /// Returns how much of a file is stored; asks the server only if that isn't known.
    private func cursor(of file: String) async throws -> Cursor {
        var cursor = cursors[file] ?? Cursor()
        if cursor.sequence != nil { return cursor }
        let last = try await connection.message(in: stream, [("last_by_subj", JSONEntity(stream + "." + file))])
        // Without a message, this process may still know more than the stream, which removes old messages.
        cursor.offset = last?.headers[NatsHeader.offset].flatMap { Int($0) } ?? cursor.offset
        cursor.sequence = last?.sequence ?? 0
        cursors[file] = cursor
        return cursor
    }

    private func send(_ bytes: [UInt8], of file: String, _ run: PriorRun) async throws {
        let cursor = try await cursor(of: file)
        let end = cursor.offset + bytes.count
        var message = NatsMessage(subject: stream + "." + file, payload: bytes, headers: headers)
        message.headers[NatsHeader.offset] = "\(end)"
        message.headers[NatsHeader.application] = run.application
        message.headers[NatsHeader.expectedSubjectSequence] = "\(cursor.sequence ?? 0)"
        // Until the server responds, nobody knows whether it has stored the lines.
        cursors[file]?.sequence = nil
        do {
            cursors[file] = Cursor(offset: end, sequence: try await connection.store(message))
        } catch let error as FleetError where error.code == .conflict {
            // Another process was first, or the last response was lost: the stream says where to go on.
        }
    }
}
