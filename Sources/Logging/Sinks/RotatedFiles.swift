internal import AshlarBase
internal import CAshlarLogging

/// The old files of a ``FileSink``: `path.1`, `path.2` and so on, with `.gz` if they are compressed.
///
/// Processes and sinks that share the file rename its old files under a lock of their folder. A file is compressed when
/// no process has it open any more, because the processes that didn't rename it notice that later, and append until then.
final class RotatedFiles: Sendable {
    /// Renames a file; tests replace it by a slow one.
    typealias Rename = @Sendable (_ path: String, _ other: String) -> Bool

    let path: String
    private let rotation: LogFileRotation
    private let rename: Rename
    /// Held while files are compressed.
    private let compression = ConditionLock()
    /// Whether a thread waits to compress the files of all rotations until then.
    private let isWaiting = Guarded(false)

    /// The seconds after which an unfinished compression is removed where no lock shows that its process is gone.
    private static let longestCompression: Int64 = 600

    init(path: String, rotation: LogFileRotation, rename: @escaping Rename) {
        self.path = path
        self.rotation = rotation
        self.rename = rename
    }

    private var retainedFiles: Int { min(max(1, rotation.retainedFiles), LogFileRotation.mostRetainedFiles) }

    private func name(_ number: Int) -> String { "\(path).\(number)" }

    private func exists(_ path: String) -> Bool { FileStatus(path, followingLinks: false) != nil }

    // MARK: Renaming

    /// Ends a file that is open, unless another process has ended it or is renaming files.
    func shift(ending file: AppendedFile) -> Bool {
        let isEnded = SystemCalls.withFolderLocked(of: path) {
            file.isSame(as: FileStatus(path, followingLinks: false)) && shiftFiles()
        }
        return isEnded == true
    }

    /// Renames the file to `path.1`, that one to `path.2`, and so on up to the first free number; the last one is removed.
    private func shiftFiles() -> Bool {
        func names(_ number: Int) -> [String] { [name(number), name(number) + ".gz"] }
        var free = 1
        while free < retainedFiles, names(free).contains(where: exists) { free += 1 }
        if free == retainedFiles {
            // Files with higher numbers are left by a sink that retained more.
            var surplus = free
            while names(surplus).filter({ FileSystem.remove($0) }).isEmpty == false { surplus += 1 }
        }
        for number in stride(from: free - 1, to: 0, by: -1) {
            for (name, next) in zip(names(number), names(number + 1)) { _ = rename(name, next) }
        }
        return rename(path, name(1))
    }

    /// Runs `body` while no process renames files; returns nil if that doesn't succeed for a second.
    private func whileNamesAreStable<Result>(_ body: () -> Result) -> Result? {
        for _ in 0..<1000 {
            if let result = SystemCalls.withFolderLocked(of: path, body) { return result }
            SystemCalls.sleep(milliseconds: 1)
        }
        return nil
    }

    // MARK: Compression and age

    /// Compresses and removes old files, if possible on a helper thread.
    func finishRotation(at second: Int64) {
        guard rotation.compresses || rotation.maximumAge != nil else { return }
        let isFirst = isWaiting.withLock { isWaiting in
            defer { isWaiting = true }
            return !isWaiting
        }
        guard isFirst else { return }
        let work: @Sendable () -> Void = { [self] in
            compression.withLock {
                isWaiting.withLock { $0 = false }
                if rotation.compresses { compressAll() }
                _ = whileNamesAreStable { removeOldFiles(at: second) }
            }
        }
        if !HelperThread.start(work) { work() }
    }

    /// Compresses the files that no process has open, also those that were open at earlier rotations.
    private func compressAll() {
        var number = 1
        while number <= retainedFiles, exists(name(number)) || exists(name(number) + ".gz") {
            if exists(name(number)) { compress(number) }
            number += 1
        }
    }

    private func compress(_ number: Int) {
        let temporary = path + ".gz.tmp"
        // A process that is starting another one has all files open twice for a moment.
        for _ in 0..<10 where SystemCalls.isInUse(name(number)) { SystemCalls.sleep(milliseconds: 10) }
        var source: Int32 = -1
        let target = whileNamesAreStable { () -> Int32 in
            guard !SystemCalls.isInUse(name(number)), removeLeftOver(temporary) else { return -1 }
            source = SystemCalls.openForReading(name(number))
            guard source >= 0 else { return -1 }
            let target = SystemCalls.openForUpdating(temporary, creating: true)
            SystemCalls.markInUse(target)
            return target
        }
        defer { if source >= 0 { SystemCalls.close(source) } }
        guard let target, target >= 0 else { return }
        defer { SystemCalls.close(target) }
        var offset: Int64 = 0
        guard ashlar_log_gzip(source, &offset, target) == 0 else {
            _ = FileSystem.remove(temporary)
            return
        }
        let isReplaced = whileNamesAreStable { replace(source, &offset, by: target, temporary) }
        if isReplaced != true { FileSystem.remove(temporary) }
    }

    /// Replaces a compressed file by its compression; returns `false` if it is gone or can't be renamed.
    private func replace(_ source: Int32, _ offset: inout Int64, by target: Int32, _ temporary: String) -> Bool {
        // A rotation may have renamed the file in the meantime.
        let identity = FileIdentity(descriptor: source)
        guard
            let name = (1...retainedFiles).map(name).first(where: {
                FileStatus($0, followingLinks: false)?.identity == identity
            }), rename(temporary, name + ".gz")
        else { return false }
        FileSystem.remove(name)
        // A process that opened the file just before it was renamed, or on a system without locks, may have appended
        // lines. Those after this moment see that the file has no name, and go to the new file.
        if let size = FileStatus(descriptor: source)?.size, size > offset {
            _ = ashlar_log_gzip(source, &offset, target)
        }
        return true
    }

    /// Removes what a killed process left; returns `false` if a process compresses a file now.
    private func removeLeftOver(_ temporary: String) -> Bool {
        guard let other = FileStatus(temporary, followingLinks: false) else { return true }
        #if canImport(Darwin)
            let age = SystemCalls.wallClock() / 1_000_000_000 - other.signature.modified.seconds
            guard age > Self.longestCompression else { return false }
        #else
            _ = other
            guard !SystemCalls.isInUse(temporary) else { return false }
        #endif
        return FileSystem.remove(temporary)
    }

    private func removeOldFiles(at second: Int64) {
        guard let age = rotation.maximumAge else { return }
        for number in 1...retainedFiles {
            for path in [name(number), name(number) + ".gz"] {
                guard let status = FileStatus(path, followingLinks: false) else { continue }
                if second - status.signature.modified.seconds > age.components.seconds { FileSystem.remove(path) }
            }
        }
    }
}
