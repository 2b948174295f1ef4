internal import AshlarCore

/// The lines that wait to be sent, bounded: batches that could not be sent, then single lines.
///
/// Batches are in files if there is a folder, or else in memory.
struct OTLPBacklog: Sendable {
    /// A request that waits, and the number of its lines.
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
    /// The batch that is being sent, which the limit does not drop because the collector may accept it.
    private var sent: Int?
    /// The number of lines that were lost.
    private(set) var lostLines = 0

    /// Creates a backlog with the batches that are in the folder.
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
    /// It waits until it is removed, so a crash loses nothing that is in a file.
    mutating func first(in envelope: OTLPEnvelope) -> Batch? {
        while let waiting = batches.first {
            if let body = waiting.body ?? read(waiting) {
                sent = waiting.number
                return Batch(number: waiting.number, lines: waiting.lines, body: body)
            }
            // Somebody else removed the file.
            remove(waiting.number, isLost: true)
        }
        guard !records.isEmpty else { return nil }
        appendBatch(in: envelope)
        return first(in: envelope)
    }

    /// Retains a batch that must be sent again.
    mutating func giveBack() {
        sent = nil
        dropSurplus()
    }

    /// Removes a batch that was answered.
    mutating func remove(_ batch: Batch, isLost: Bool) { remove(batch.number, isLost: isLost) }

    private mutating func remove(_ number: Int, isLost: Bool) {
        guard let index = batches.firstIndex(where: { $0.number == number }) else { return }
        let waiting = batches.remove(at: index)
        if sent == number { sent = nil }
        if isLost { lostLines += waiting.lines }
        if waiting.body == nil, let path = path(waiting) { SystemCalls.remove(path) }
    }

    /// Writes everything into the folder, if there is one.
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

    /// Drops everything without counting it.
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

    /// The number and the lines in the name of a file.
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
