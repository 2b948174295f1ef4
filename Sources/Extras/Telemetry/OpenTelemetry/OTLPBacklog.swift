internal import AshlarLogging

/// The lines that wait to be sent: batches in files or in memory, then the records of the next batch.
///
/// Memory and files have separate limits. A value without locks, threads or files. ``OTLPDelivery`` guards it, and writes
/// and removes the files that it names.
struct OTLPBacklog: Sendable {
    /// Where the body of a batch is.
    enum Place: Hashable, Sendable {
        case memory([UInt8])
        /// The name of a file in the spill folder.
        case file(String)
    }

    /// The body of a request that waits.
    struct Batch: Hashable, Sendable {
        /// The position among all batches; also that of its file in the folder.
        let number: Int64
        let lines: Int
        let bytes: Int
        var place: Place

        var isInMemory: Bool {
            if case .memory = place { return true }
            return false
        }
    }

    /// The limits of requests, and of the lines that wait.
    struct Limits: Sendable {
        var batchLines = 512
        /// Collectors accept at least 4 MiB.
        var batchBytes = 1 << 20
        var memoryBytes = 64 << 20
        var diskBytes = 256 << 20
    }

    private let limits: Limits
    private let envelope: OTLPEnvelope
    private let clock: @Sendable () -> Int64
    /// The batches in order, and the number of those at the start that are removed.
    private var batches: [Batch]
    private var removed = 0
    private var memoryBytes = 0
    private var diskBytes = 0
    /// The records of the next batch, with commas between them.
    private var records: [UInt8] = []
    private var recordLines = 0
    private var lastNumber: Int64
    /// The last batch that is being sent, which the limits do not drop because the collector may accept it.
    private var sent = Int64.min
    /// The number of lines that were lost.
    private(set) var lostLines = 0
    /// The names of obsolete files.
    private var unneeded: [String] = []

    /// Creates a backlog that begins with batches in files, in order.
    init(
        _ batches: [Batch] = [], envelope: OTLPEnvelope, limits: Limits,
        clock: @escaping @Sendable () -> Int64 = { LogTime.now.nanoseconds }
    ) {
        self.limits = limits
        self.envelope = envelope
        self.batches = batches
        self.clock = clock
        diskBytes = batches.reduce(0) { $0 + $1.bytes }
        lastNumber = batches.last?.number ?? 0
    }

    private var waiting: ArraySlice<Batch> { batches[removed...] }
    var isEmpty: Bool { waiting.isEmpty && recordLines == 0 }
    /// Whether a batch waits.
    var hasBatch: Bool { !waiting.isEmpty }
    /// Whether so many lines are in memory that they should be written into the folder, if there is one.
    var shouldSpill: Bool { memoryBytes + records.count > limits.memoryBytes / 2 }
    var hasBatchInMemory: Bool { memoryBytes > 0 }
    /// The number of the last batch.
    var lastBatch: Int64? { waiting.last?.number }

    /// Adds a record.
    mutating func add(_ record: [UInt8]) {
        if recordLines > 0 { records.append(UInt8(ascii: ",")) }
        records += record
        recordLines += 1
        if recordLines >= limits.batchLines || records.count >= limits.batchBytes { closeBatch() }
        dropSurplus()
    }

    // MARK: Sending

    /// The batches of the oldest request, which wait until they are removed; small batches are sent together.
    mutating func nextRequest() -> [Batch] {
        var (lines, bytes) = (0, 0)
        let batches = waiting.prefix {
            lines += $0.lines
            bytes += $0.bytes
            return lines <= limits.batchLines && bytes <= limits.batchBytes
        }
        let request = batches.isEmpty ? waiting.prefix(1) : batches
        sent = request.last?.number ?? .min
        return Array(request)
    }

    /// Retains the batches that must be sent again.
    mutating func giveBack() {
        sent = .min
        dropSurplus()
    }

    /// Removes a batch that was accepted or rejected, or that can't be read.
    mutating func remove(_ number: Int64, isLost: Bool) {
        guard let index = index(of: number) else { return }
        let batch = batches[index]
        if isLost { lostLines += batch.lines }
        count(batch, times: -1)
        if case .file(let name) = batch.place { unneeded.append(name) }
        // The oldest batches are removed first, so the rest is rarely moved.
        guard index == removed else {
            _ = batches.remove(at: index)
            return
        }
        removed += 1
        if removed > 64, removed * 2 > batches.count {
            batches.removeFirst(removed)
            removed = 0
        }
    }

    /// Counts lines of an accepted request that the collector rejected.
    mutating func noteRejected(_ lines: Int) { lostLines += lines }

    private func index(of number: Int64) -> Int? { waiting.firstIndex { $0.number == number } }

    private mutating func count(_ batch: Batch, times: Int) {
        if batch.isInMemory { memoryBytes += times * batch.bytes } else { diskBytes += times * batch.bytes }
    }

    // MARK: Spilling

    /// The first batch in memory after a number and up to another one.
    func firstInMemory(after number: Int64 = .min, through last: Int64) -> Batch? {
        waiting.first { $0.isInMemory && $0.number > number && $0.number <= last }
    }

    /// Notes that a batch is in a file now; the file is not needed if the batch was sent or dropped meanwhile.
    mutating func noteWritten(_ number: Int64, to name: String) {
        guard let index = index(of: number) else { return unneeded.append(name) }
        count(batches[index], times: -1)
        batches[index].place = .file(name)
        count(batches[index], times: 1)
        dropSurplus()
    }

    /// Returns the names of the files to remove, each once.
    mutating func takeUnneededFiles() -> [String] {
        defer { unneeded = [] }
        return unneeded
    }

    /// Makes a batch of the last records.
    mutating func closeBatch() {
        guard recordLines > 0 else { return }
        let body = envelope.body(of: records)
        // Numbers follow the clock so that batches of several processes are in order.
        lastNumber = max(clock(), lastNumber + 1)
        let batch = Batch(number: lastNumber, lines: recordLines, bytes: body.count, place: .memory(body))
        batches.append(batch)
        count(batch, times: 1)
        records = []
        recordLines = 0
    }

    /// Drops the oldest batches until the rest is within the limits.
    private mutating func dropSurplus() {
        if memoryBytes + records.count > limits.memoryBytes {
            if memoryBytes == 0 { closeBatch() }
            drop(inMemory: true) { $0.memoryBytes + $0.records.count > $0.limits.memoryBytes }
        }
        if diskBytes > limits.diskBytes { drop(inMemory: false) { $0.diskBytes > $0.limits.diskBytes } }
    }

    private mutating func drop(inMemory: Bool, while isSurplus: (OTLPBacklog) -> Bool) {
        while isSurplus(self), let oldest = waiting.first(where: { $0.isInMemory == inMemory && $0.number > sent }) {
            remove(oldest.number, isLost: true)
        }
    }
}

/// The text around the records of a request.
struct OTLPEnvelope: Sendable {
    private static let start = Array(#"{"resourceLogs":["#.utf8)
    private static let end = Array("]}".utf8)
    private let head: [UInt8]

    init(resource: LogFields) {
        let attributes = JSONLineWriter.attributes(resource)
        head =
            Self.start + Array(#"{"resource":{"attributes":"#.utf8) + attributes
            + Array(#"},"scopeLogs":[{"scope":{"name":"AshlarLogging"},"logRecords":["#.utf8)
    }

    /// Returns a request with records that are divided by commas.
    func body(of records: [UInt8]) -> [UInt8] { head + records + Array("]}]}".utf8) + Self.end }

    /// Returns one request with the contents of several, which can be of different resources.
    static func merged(_ bodies: [[UInt8]]) -> [UInt8] {
        guard bodies.count > 1 else { return bodies.first ?? [] }
        let parts = bodies.map { $0.dropFirst(start.count).dropLast(end.count) }
        return start + Array(parts.joined(separator: CollectionOfOne(UInt8(ascii: ",")))) + end
    }

    /// Whether a body has the form of this sink; a file of another program doesn't.
    static func isRequest(_ body: [UInt8]) -> Bool { body.starts(with: start) && body.suffix(end.count) == end[...] }
}
