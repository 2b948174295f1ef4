internal import AshlarCore
internal import AshlarLogging

/// The files of batches that wait for the collector.
///
/// Sinks and processes can share a folder. A sink owns the files with its name, `otlp-<19 digits>-<owner>-<lines>.json`
/// with the number of the batch. As long as it has files, it holds a lock on `otlp-<owner>.lock`. A new sink adopts the
/// files whose owner is gone, also those of other containers.
///
/// All methods wait for the disk.
final class OTLPSpillFolder: Sendable {
    /// A sink: `<process>-<start of the process>-<8 hex digits>`.
    private struct Owner: Hashable, Sendable {
        var processID = ProcessIdentity.current
        var processStart = ProcessIdentity.start(of: ProcessIdentity.current) ?? 0
        var sink = UInt32.random(in: 0 ... .max)

        var text: String { "\(processID)-\(processStart)-\(sink.digits(8, radix: 16))" }
        var lockName: String { "otlp-\(text).lock" }

        /// Whether the process is gone, where no lock shows it: on Apple systems, which end suspended apps that hold one.
        ///
        /// A living process can have several sinks.
        var isProcessGone: Bool {
            processID != ProcessIdentity.current && ProcessIdentity.start(of: processID) != processStart
        }
    }

    /// The strictly parsed name of a file; other files are never read or removed.
    private enum File: Hashable {
        case batch(number: Int64, Owner, lines: Int)
        case lock(Owner)

        var owner: Owner {
            switch self {
            case .batch(_, let owner, _), .lock(let owner): owner
            }
        }

        var name: String {
            switch self {
            case .batch(let number, let owner, let lines): "otlp-\(number.digits(19))-\(owner.text)-\(lines).json"
            case .lock(let owner): owner.lockName
            }
        }

        init?(_ name: String) {
            guard name.hasPrefix("otlp-"), let dot = name.lastIndex(of: ".") else { return nil }
            var parts = name[..<dot].split(separator: "-", omittingEmptySubsequences: false).dropFirst()
            let isBatch = parts.count == 5
            guard parts.count == 3 || isBatch, let number = isBatch ? Int64(parts.removeFirst()) : 1,
                let lines = isBatch ? Int(parts.removeLast()) : 1,
                let processID = parts.popFirst().flatMap({ Int32($0) }),
                let start = parts.popFirst().flatMap({ UInt64($0) }),
                let sink = parts.popFirst().flatMap({ UInt32($0, radix: 16) }), number > 0, lines > 0
            else { return nil }
            let owner = Owner(processID: processID, processStart: start, sink: sink)
            self = isBatch ? .batch(number: number, owner, lines: lines) : .lock(owner)
            guard self.name == name else { return nil }
        }
    }

    /// Replaces a file; tests replace it by a slow or full disk.
    typealias Write = @Sendable (_ path: String, _ bytes: [UInt8]) throws -> Void

    private let path: String
    private let write: Write
    /// The owner of this sink's files, and its locked file, which is created before the first one.
    private let own = Guarded((owner: Owner(), lock: AppendedFile()))

    init(_ path: String, write: @escaping Write = { try AtomicFile.replace($0, with: $1) }) {
        self.path = FileSystem.absolutePath(path)
        self.write = write
    }

    deinit {
        let (owner, lock) = own.withLock { $0 }
        if lock.status != nil { remove(owner.lockName) }
        own.withLock { $0.lock.close() }
    }

    /// Returns the owner of new files, with a lock.
    private func ownerOfNewFiles() throws(FileFailure) -> Owner {
        let own = own.withLock { $0 }
        var lock = own.lock
        // Another program may have removed the file or the folder, or closed the descriptor.
        for _ in 0..<3 where lock.status == nil {
            lock.close()
            try FolderListing.create(path, permissions: 0o700)
            DataProtection.excludeFromBackup(path)
            lock = AppendedFile("\(path)/\(own.owner.lockName)", exclusive: false)
            guard lock.descriptor >= 0 else { throw FileFailure(path, .system(-lock.descriptor)) }
            self.own.withLock { $0.lock = lock }
        }
        return own.owner
    }

    /// Takes over the batches whose owner is gone, and removes what it left unfinished.
    ///
    /// - Returns: The batches in order.
    func adoptBatches() -> [OTLPBacklog.Batch] {
        let files = (FolderListing.names(in: path) ?? []).compactMap { name in
            (File(name) ?? AtomicFile.original(of: name).flatMap { File($0) }).map { (name: name, owner: $0.owner) }
        }
        guard !files.isEmpty, let own = try? ownerOfNewFiles() else { return [] }
        let hasLocks = isLocked(own)
        var isGone: [Owner: Bool] = [:]
        for owner in Set(files.map(\.owner)) { isGone[owner] = hasLocks ? !isLocked(owner) : owner.isProcessGone }
        var batches: [OTLPBacklog.Batch] = []
        var numbers: Set<Int64> = []
        for (name, owner) in files where isGone[owner] == true {
            guard case .batch(var number, _, let lines) = File(name) else {
                remove(name)
                continue
            }
            guard let status = FileStatus("\(path)/\(name)", followingLinks: false), status.isOwn else { continue }
            while !numbers.insert(number).inserted { number += 1 }
            let adopted = File.batch(number: number, own, lines: lines).name
            // Another process may adopt the file first.
            guard FileSystem.rename("\(path)/\(name)", to: "\(path)/\(adopted)") else { continue }
            let bytes = Int(clamping: status.signature.size)
            batches.append(OTLPBacklog.Batch(number: number, lines: lines, bytes: bytes, place: .file(adopted)))
        }
        return batches.sorted { $0.number < $1.number }
    }

    private func isLocked(_ owner: Owner) -> Bool { SystemCalls.isInUse("\(path)/\(owner.lockName)") }

    /// Writes a batch to the disk; returns the name of its file, or nil if that isn't possible.
    func write(_ body: [UInt8], of batch: OTLPBacklog.Batch) -> String? {
        do {
            let name = File.batch(number: batch.number, try ownerOfNewFiles(), lines: batch.lines).name
            try write("\(path)/\(name)", body)
            return name
        } catch {
            return nil
        }
    }

    func read(_ name: String, limit: Int) -> [UInt8]? { try? WholeFile.readOwn("\(path)/\(name)", limit: limit) }

    func remove(_ name: String) { FileSystem.remove("\(path)/\(name)") }
}
