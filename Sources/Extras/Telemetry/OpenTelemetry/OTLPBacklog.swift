internal import AshlarLogging

/// The lines that wait to be sent, bounded: batches in files or in memory, then single lines.
///
/// A value without locks, threads or files. ``OTLPDelivery`` guards it, and writes and removes the files that it names.
struct OTLPBacklog: Sendable {
    /// Where the body of a batch is.
    enum Place: Hashable, Sendable {
        case memory([UInt8])
        /// The name of a file in the spill folder.
        case file(String)
    }

    /// A request that waits.
    struct Batch: Hashable, Sendable {
        /// The position among all batches; also that of its file in the folder.
        let number: Int64
        let lines: Int
        let bytes: Int
        var place: Place
    }

    private let batchLines: Int
    private let maximumBytes: Int
    private let clock: @Sendable () -> Int64
    private var batches: [Batch]
    private var records: [[UInt8]] = []
    private var recordBytes = 0
    private var lastNumber: Int64
    /// The batch that is being sent, which the limit does not drop because the collector may accept it.
    private var sent: Int64?
    /// The number of lines that were lost.
    private(set) var lostLines = 0
    /// The names of obsolete files.
    private var unneeded: [String] = []

    /// Creates a backlog that begins with batches in files, in order.
    init(
        _ batches: [Batch] = [], batchLines: Int, maximumBytes: Int,
        clock: @escaping @Sendable () -> Int64 = { LogTime.now.nanoseconds }
    ) {
        self.batchLines = max(1, batchLines)
        self.maximumBytes = max(1024, maximumBytes)
        self.batches = batches
        self.clock = clock
        lastNumber = batches.last?.number ?? 0
    }

    var isEmpty: Bool { batches.isEmpty && records.isEmpty }

    mutating func add(_ record: [UInt8]) {
        records.append(record)
        recordBytes += record.count
        dropSurplus()
    }

    // MARK: Sending

    /// The oldest request, which waits until it is removed.
    mutating func first(in envelope: OTLPEnvelope) -> Batch? {
        if batches.isEmpty, !records.isEmpty { closeBatch(in: envelope) }
        sent = batches.first?.number
        return batches.first
    }

    /// Retains the batch that must be sent again.
    mutating func giveBack() {
        sent = nil
        dropSurplus()
    }

    /// Removes a batch that was accepted or rejected, or that can't be read.
    mutating func remove(_ number: Int64, isLost: Bool) {
        guard let index = batches.firstIndex(where: { $0.number == number }) else { return }
        let batch = batches.remove(at: index)
        if sent == number { sent = nil }
        if isLost { lostLines += batch.lines }
        if case .file(let name) = batch.place { unneeded.append(name) }
    }

    // MARK: Spilling

    /// Makes batches of all lines; returns the number of the last batch.
    mutating func closeBatches(in envelope: OTLPEnvelope) -> Int64? {
        while !records.isEmpty { closeBatch(in: envelope) }
        return batches.last?.number
    }

    /// The first batch in memory after a number and up to another one.
    func firstInMemory(after number: Int64, through last: Int64) -> Batch? {
        batches.first { batch in
            guard case .memory = batch.place else { return false }
            return batch.number > number && batch.number <= last
        }
    }

    /// Notes that a batch is in a file now; the file is not needed if the batch was sent or dropped meanwhile.
    mutating func noteWritten(_ number: Int64, to name: String) {
        guard let index = batches.firstIndex(where: { $0.number == number }) else { return unneeded.append(name) }
        batches[index].place = .file(name)
    }

    /// Returns the names of the files to remove, each once.
    mutating func takeUnneededFiles() -> [String] {
        defer { unneeded = [] }
        return unneeded
    }

    /// Drops everything without counting it, in a forked child.
    mutating func forget() { self = OTLPBacklog(batchLines: batchLines, maximumBytes: maximumBytes, clock: clock) }

    private mutating func closeBatch(in envelope: OTLPEnvelope) {
        let taken = records.prefix(batchLines)
        let body = envelope.body(of: taken)
        recordBytes -= taken.reduce(0) { $0 + $1.count }
        // Numbers follow the clock so that batches of several processes are in order.
        lastNumber = max(clock(), lastNumber + 1)
        batches.append(Batch(number: lastNumber, lines: taken.count, bytes: body.count, place: .memory(body)))
        records.removeFirst(taken.count)
    }

    /// Drops the oldest batches, then the oldest lines, until the rest is within the limit.
    private mutating func dropSurplus() {
        var bytes = batches.reduce(recordBytes) { $0 + $1.bytes }
        while bytes > maximumBytes, let oldest = batches.first(where: { $0.number != sent }) {
            bytes -= oldest.bytes
            remove(oldest.number, isLost: true)
        }
        var surplus = 0
        while recordBytes > maximumBytes, surplus < records.count {
            recordBytes -= records[surplus].count
            surplus += 1
        }
        records.removeFirst(surplus)
        lostLines += surplus
    }
}

/// The text around the records of a request.
struct OTLPEnvelope: Sendable {
    private let head: [UInt8]

    init(resource: LogFields) {
        let attributes = JSONLineWriter.attributes(resource)
        head =
            Array(#"{"resourceLogs":[{"resource":{"attributes":"#.utf8) + attributes
            + Array(#"},"scopeLogs":[{"scope":{"name":"AshlarLogging"},"logRecords":["#.utf8)
    }

    func body(of records: some Sequence<[UInt8]>) -> [UInt8] {
        head + records.joined(separator: CollectionOfOne(UInt8(ascii: ","))) + Array("]}]}]}".utf8)
    }
}
