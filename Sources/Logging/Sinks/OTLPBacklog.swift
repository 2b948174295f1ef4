internal import AshlarCore

/// The bounded list of waiting lines: batches that couldn't be sent, then single lines.
///
/// Batches are stored in files if there is a folder, otherwise in memory.
struct OTLPBacklog: Sendable {
    /// A waiting request, and the number of its lines.
    struct Batch: Sendable {
        fileprivate let number: Int
        let lines: Int
        let body: [UInt8]
    }

    private struct Waiting: Sendable {
        let number: Int
        let lines: Int
        let bytes: Int
        /// The body; nil if it is in a file.
        let body: [UInt8]?
    }

    private let folder: String?
    private let batchLines: Int
    private let maximumBytes: Int
    private var batches: [Waiting] = []
    private var records: [[UInt8]] = []
    private var recordBytes = 0
    private var nextNumber = 1
    /// The batch that is being sent; the limit doesn't drop it, because the collector may accept it.
    private var sent: Int?
    /// The number of lost lines.
    private(set) var lostLines = 0

    /// Creates a backlog with the batches in the folder.
    init(folder: String?, batchLines: Int, maximumBytes: Int) {
        (self.batchLines, self.maximumBytes) = (max(1, batchLines), max(1024, maximumBytes))
        self.folder = folder
        guard let folder, SystemCalls.createFolder(folder) == 0 else { return }
        for name in FolderListing.names(in: folder) ?? [] {
            guard let (number, lines) = Self.parse(name), let status = SystemCalls.status(path: "\(folder)/\(name)"),
                status.isRegular
            else { continue }
            batches.append(Waiting(number: number, lines: lines, bytes: Int(clamping: status.size), body: nil))
        }
        batches.sort { $0.number < $1.number }
        nextNumber = (batches.last?.number ?? 0) + 1
    }

    var isEmpty: Bool { batches.isEmpty && records.isEmpty }

    mutating func add(_ record: [UInt8]) {
        records.append(record)
        recordBytes += record.count
        dropSurplus()
    }

    /// The oldest request.
    ///
    /// The request remains in the backlog until it is removed, so a crash doesn't lose requests in files.
    mutating func first(in envelope: OTLPEnvelope) -> Batch? {
        while let waiting = batches.first {
            if let body = waiting.body ?? read(waiting) {
                sent = waiting.number
                return Batch(number: waiting.number, lines: waiting.lines, body: body)
            }
            // Another program removed the file.
            remove(waiting.number, isLost: true)
        }
        guard !records.isEmpty else { return nil }
        appendBatch(in: envelope)
        return first(in: envelope)
    }

    /// Marks a batch that must be sent again.
    mutating func giveBack() {
        sent = nil
        dropSurplus()
    }

    /// Removes a batch after its response.
    mutating func remove(_ batch: Batch, isLost: Bool) { remove(batch.number, isLost: isLost) }

    private mutating func remove(_ number: Int, isLost: Bool) {
        guard let index = batches.firstIndex(where: { $0.number == number }) else { return }
        let waiting = batches.remove(at: index)
        if sent == number { sent = nil }
        if isLost { lostLines += waiting.lines }
        if waiting.body == nil, let path = path(waiting) { SystemCalls.remove(path) }
    }

    /// Writes all lines into the folder, if there is one.
    mutating func spill(in envelope: OTLPEnvelope) {
        guard folder != nil else { return }
        while !records.isEmpty { appendBatch(in: envelope) }
        for (index, waiting) in batches.enumerated() {
            if let body = waiting.body, write(body, waiting) {
                batches[index] = Waiting(
                    number: waiting.number, lines: waiting.lines, bytes: waiting.bytes, body: nil)
            }
        }
    }

    /// Removes all lines without counting them.
    mutating func forget() { (batches, records, recordBytes) = ([], [], 0) }

    private mutating func appendBatch(in envelope: OTLPEnvelope) {
        let body = envelope.body(of: records.prefix(batchLines))
        let lines = min(batchLines, records.count)
        recordBytes -= records.prefix(batchLines).reduce(0) { $0 + $1.count }
        records.removeFirst(lines)
        let batch = Waiting(number: nextNumber, lines: lines, bytes: body.count, body: body)
        nextNumber += 1
        batches.append(batch)
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

    // MARK: Files

    private func path(_ waiting: Waiting) -> String? {
        let number = String(waiting.number)
        let padded = String(repeating: "0", count: max(0, 12 - number.utf8.count)) + number
        return folder.map { "\($0)/otlp-\(padded)-\(waiting.lines).json" }
    }

    /// Returns the number of the batch and the number of its lines from the name of a file.
    private static func parse(_ name: String) -> (number: Int, lines: Int)? {
        guard name.hasPrefix("otlp-"), name.hasSuffix(".json") else { return nil }
        let parts = name.dropFirst(5).dropLast(5).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int(parts[0]), let lines = Int(parts[1]), number > 0, lines >= 0 else {
            return nil
        }
        return (number, lines)
    }

    private func read(_ waiting: Waiting) -> [UInt8]? {
        path(waiting).flatMap { try? WholeFile.read($0, limit: max(maximumBytes, waiting.bytes)) }
    }

    private func write(_ body: [UInt8], _ waiting: Waiting) -> Bool {
        guard let path = path(waiting) else { return false }
        do {
            try AtomicFile.replace(path, with: body)
            return true
        } catch {
            return false
        }
    }
}
