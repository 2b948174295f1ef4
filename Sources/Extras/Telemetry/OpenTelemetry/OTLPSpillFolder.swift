internal import AshlarCore
internal import AshlarLogging

/// The files of batches that wait for the collector.
///
/// A name has the number of the batch, the process and the sink that own it, and the number of its lines:
/// `otlp-<19 digits>-<process>-<start of the process>-<8 hex digits>-<lines>.json`. Sinks and processes can share a
/// folder: each sends its own batches, and a new sink adopts those whose owner is gone.
///
/// All methods wait for the disk.
final class OTLPSpillFolder: Sendable {
    private struct FileName: Sendable {
        var number: Int64
        var processID: Int32
        var processStart: UInt64
        var sink: UInt32
        var lines: Int

        var text: String {
            "otlp-\(number.digits(19))-\(processID)-\(processStart)-\(sink.digits(8, radix: 16))-\(lines).json"
        }

        init(number: Int64, processID: Int32, processStart: UInt64, sink: UInt32, lines: Int) {
            self.number = number
            self.processID = processID
            self.processStart = processStart
            self.sink = sink
            self.lines = lines
        }

        /// Parses a name strictly; other files are never read or removed.
        init?(_ name: String) {
            guard name.hasPrefix("otlp-"), name.hasSuffix(".json") else { return nil }
            let parts = name.dropFirst(5).dropLast(5).split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 5, let number = Int64(parts[0]), let processID = Int32(parts[1]),
                let processStart = UInt64(parts[2]), let sink = UInt32(parts[3], radix: 16), let lines = Int(parts[4]),
                number > 0, lines > 0
            else { return nil }
            self.init(number: number, processID: processID, processStart: processStart, sink: sink, lines: lines)
            guard text == name else { return nil }
        }
    }

    /// Replaces a file; tests replace it by a slow or full disk.
    typealias Write = @Sendable (_ path: String, _ bytes: [UInt8]) throws -> Void

    /// The sinks of this process that own files.
    private static let sinks = Guarded<Set<UInt32>>([])

    private let path: String
    private let sink: UInt32
    private let write: Write

    init(_ path: String, write: @escaping Write = { try AtomicFile.replace($0, with: $1) }) {
        self.path = FileSystem.absolutePath(path)
        self.write = write
        sink = Self.sinks.withLock { sinks in
            while true {
                let sink = UInt32.random(in: 0 ... .max)
                if sinks.insert(sink).inserted { return sink }
            }
        }
    }

    deinit { Self.sinks.withLock { _ = $0.remove(sink) } }

    /// The sinks of this process that own files.
    ///
    /// For tests.
    static var livingSinks: Set<UInt32> { sinks.withLock { $0 } }

    /// Takes over the batches whose owner is gone, and removes what it left unfinished.
    ///
    /// - Returns: The batches in order.
    func adoptBatches() -> [OTLPBacklog.Batch] {
        var batches: [OTLPBacklog.Batch] = []
        var numbers: Set<Int64> = []
        for name in FolderListing.names(in: path) ?? [] {
            if let original = AtomicFile.original(of: name), let unfinished = FileName(original), isOrphan(unfinished) {
                remove(name)
            }
            guard let found = FileName(name), isOrphan(found),
                let status = FileStatus("\(path)/\(name)", followingLinks: false), status.isOwn
            else { continue }
            var number = found.number
            while !numbers.insert(number).inserted { number += 1 }
            let own = self.name(number, lines: found.lines)
            // Another process may adopt the file first.
            guard FileSystem.rename("\(path)/\(name)", to: "\(path)/\(own)") else { continue }
            batches.append(
                OTLPBacklog.Batch(
                    number: number, lines: found.lines, bytes: Int(clamping: status.signature.size), place: .file(own)))
        }
        return batches.sorted { $0.number < $1.number }
    }

    private func isOrphan(_ file: FileName) -> Bool {
        if file.processID == ProcessIdentity.current { return !Self.sinks.withLock { $0.contains(file.sink) } }
        return ProcessIdentity.start(of: file.processID) != file.processStart
    }

    private func name(_ number: Int64, lines: Int) -> String {
        let pid = ProcessIdentity.current
        let start = ProcessIdentity.start(of: pid) ?? 0
        return FileName(number: number, processID: pid, processStart: start, sink: sink, lines: lines).text
    }

    /// Writes a batch to the disk; returns the name of its file, or nil if that isn't possible.
    func write(_ body: [UInt8], of batch: OTLPBacklog.Batch) -> String? {
        let name = name(batch.number, lines: batch.lines)
        do {
            try FolderListing.create(path, permissions: 0o700)
            DataProtection.excludeFromBackup(path)
            try write("\(path)/\(name)", body)
            return name
        } catch {
            return nil
        }
    }

    func read(_ name: String, limit: Int) -> [UInt8]? { try? WholeFile.readOwn("\(path)/\(name)", limit: limit) }

    func remove(_ name: String) { FileSystem.remove("\(path)/\(name)") }
}
