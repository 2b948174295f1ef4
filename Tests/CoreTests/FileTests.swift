import AshlarCore
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarBase

@Suite struct FileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder([:]) }

    @Test("Files are read whole, up to a limit", arguments: [0, 1, 4095, 4096, 4097, 200_000])
    func wholeFile(size: Int) throws {
        let content = String(repeating: "x", count: size)
        let path = try folder.write(content, to: "a", atomically: false)
        #expect(try WholeFile.read(path) == Array(content.utf8))
        #expect(try WholeFile.read(path, limit: size) == Array(content.utf8))
        if size > 0 {
            #expect(throws: FileFailure(path, .tooLarge(limit: size - 1))) { try WholeFile.read(path, limit: size - 1) }
        }
    }

    @Test("A file of unknown size is read to its end")
    func procFile() throws {
        guard FileManager.default.fileExists(atPath: "/proc/self/status") else { return }
        #expect(try WholeFile.read("/proc/self/status").count > 100)
    }

    @Test("Directories and pipes fail instead of blocking", .timeLimit(.minutes(5)))
    func specialFiles() throws {
        let pipe = folder.file("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(throws: FileFailure(pipe, .notRegular)) { try WholeFile.read(pipe) }
        #expect(throws: FileFailure(folder.path, .notRegular)) { try WholeFile.read(folder.path) }
    }

    @Test("A name is replaced and removed, and a failure is reported")
    func names() throws {
        let path = try folder.write("a", to: "a", atomically: false)
        let other = try folder.write("b", to: "b", atomically: false)
        let identity = try #require(FileStatus(path)?.identity)
        #expect(FileSystem.rename(path, to: other) && FileStatus(other)?.identity == identity)
        #expect(!FileSystem.rename(path, to: other) && FileStatus(other)?.size == 1)
        #expect(FileSystem.remove(other) && !FileSystem.remove(other) && FileStatus(other) == nil)
    }

    @Test("A relative path gets the working directory in front")
    func absolutePath() {
        let here = FileManager.default.currentDirectoryPath
        #expect(FileSystem.absolutePath("a/b") == here + "/a/b")
        #expect(FileSystem.absolutePath("/a/b") == "/a/b" && FileSystem.absolutePath("") == "")
    }

    @Test("An open file has the identity of its path")
    func identity() throws {
        let path = try folder.write("a", to: "a", atomically: false)
        let descriptor = open(path, O_RDONLY)
        #expect(FileIdentity(descriptor: descriptor) == FileStatus(path)?.identity)
        close(descriptor)
        #expect(FileIdentity(descriptor: -1) == nil)
    }

    @Test("A missing file is reported as missing")
    func missing() throws {
        let path = folder.file("a/b")
        do {
            _ = try WholeFile.read(path)
            Issue.record("a missing file was read")
        } catch {
            #expect(error.isMissing)
            #expect(error.description == "No such file or directory")
        }
    }

    @Test("Replacing keeps links and permissions, and leaves no temporary file")
    func replace() throws {
        let path = try folder.write("old", to: "a", atomically: false)
        let link = folder.file("link")
        #expect(chmod(path, 0o640) == 0)
        #expect(symlink("a", link) == 0)
        try AtomicFile.replace(link, with: Array("new".utf8))
        #expect(try WholeFile.read(path) == Array("new".utf8))
        #expect(FileStatus(link, followingLinks: false)?.kind == .link)
        var info = stat()
        #expect(stat(path, &info) == 0 && info.st_mode & 0o777 == 0o640)
        #expect(FolderListing.names(in: folder.path) == ["a", "link"])
    }

    @Test("Replacing fails without changing the file if its folder is missing")
    func replaceFails() throws {
        let path = folder.file("x/y")
        #expect(throws: FileFailure.self) { try AtomicFile.replace(path, with: []) }
        #expect(FolderListing.names(in: folder.path) == [])
    }

    @Test("A folder is created with its missing parents, and an existing one stays")
    func createFolder() throws {
        let path = folder.file("a/b/c")
        try FolderListing.create(path, permissions: 0o700)
        try FolderListing.create(path)
        try FolderListing.create("")
        for name in ["a", "a/b", "a/b/c"] {
            var info = stat()
            #expect(stat(folder.file(name), &info) == 0 && info.st_mode & 0o777 == 0o700)
        }
    }

    @Test("A folder below a file can't be created")
    func createFolderFails() throws {
        let path = try folder.write("x", to: "f", atomically: false) + "/a"
        #expect(throws: FileFailure(path, .system(ENOTDIR))) { try FolderListing.create(path) }
        #expect(throws: FileFailure(path, .system(ENOTDIR))) { try FolderListing.create(path + "/b") }
    }

    @Test("Eight writers leave one complete content", .timeLimit(.minutes(5)))
    func concurrentWriters() async throws {
        let path = try folder.write("start", to: "a", atomically: false)
        await withTaskGroup(of: Void.self) { group in
            for writer in UInt8(0)..<8 {
                group.addTask {
                    for _ in 0..<20 { try? AtomicFile.replace(path, with: [UInt8](repeating: writer, count: 3000)) }
                }
            }
        }
        let content = try WholeFile.read(path)
        #expect(content.count == 3000)
        #expect(Set(content).count == 1)
        #expect(FolderListing.names(in: folder.path) == ["a"])
    }

    @Test("A rewrite of the same size with a restored modification time changes the signature", .timeLimit(.minutes(5)))
    func restoredTime() throws {
        let path = try folder.write("one", to: "a", atomically: false)
        var times = [timespec(tv_sec: 1_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
        let before = try #require(FileSignature(path))
        while before.isFresh() { usleep(1000) }
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        handle.write(Data("two".utf8))
        try handle.close()
        #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
        let after = try #require(FileSignature(path))
        #expect(after.modified == before.modified && after.size == before.size && after.inode == before.inode)
        #expect(after != before)
    }

    @Test(
        "A signature is fresh while another write could leave the same one",
        arguments: [
            (0, 500_000_000, 0, 500_000_001, true), (0, 500_000_000, 0, 514_999_999, true),
            (0, 500_000_000, 0, 515_000_000, false),
            (0, 999_000_000, 1, 1_000_000, true), (0, 500_000_000, 5, 500_000_000, false),
            (10, 500_000_000, 0, 0, false),
            (0, 0, 1, 999_999_999, true), (0, 0, 2, 0, false),
        ] as [(Int64, Int32, Int64, Int32, Bool)])
    func freshness(seconds: Int64, nanoseconds: Int32, nowSeconds: Int64, nowNanoseconds: Int32, isFresh: Bool) {
        let stamp = FileSignature.Time(seconds: seconds, nanoseconds: nanoseconds)
        let signature = FileSignature(device: 1, inode: 1, size: 1, modified: stamp, changed: stamp)
        #expect(signature.isFresh(at: .init(seconds: nowSeconds, nanoseconds: nowNanoseconds)) == isFresh)
        let old = FileSignature.Time(seconds: -1_000, nanoseconds: nanoseconds == 0 ? 0 : 1)
        for (modified, changed) in [(old, stamp), (stamp, old)] {
            let one = FileSignature(device: 1, inode: 1, size: 1, modified: modified, changed: changed)
            #expect(one.isFresh(at: .init(seconds: nowSeconds, nanoseconds: nowNanoseconds)) == isFresh)
        }
    }

    @Test("The status distinguishes types, and names are sorted by their bytes")
    func status() throws {
        try folder.write("", to: "b", atomically: false)
        try folder.write("", to: "Z", atomically: false)
        try folder.write("", to: "é", atomically: false)
        #expect(FileStatus(folder.path)?.kind == .directory)
        #expect(FileStatus(folder.path + "/b")?.kind == .regular)
        #expect(FileStatus("/dev/null")?.kind == .special)
        #expect(FileStatus(folder.path + "/none") == nil)
        #expect(FolderListing.names(in: folder.path) == ["Z", "b", "é"])
        #expect(FolderListing.names(in: folder.path + "/none") == nil)
    }

    @Test("A pipe is never replaced", arguments: [true, false])
    func replacePipe(isOwn: Bool) throws {
        let (pipe, link) = (folder.file("pipe"), folder.file("link"))
        #expect(mkfifo(pipe, 0o600) == 0 && symlink("pipe", link) == 0)
        for path in [pipe, link] {
            #expect(throws: FileFailure(path, .notRegular)) { try AtomicFile.replace(path, with: [1], isOwn: isOwn) }
        }
        #expect(FileStatus(pipe, followingLinks: false)?.kind == .special && folder.names == ["link", "pipe"])
    }

    @Test("Writers at once use different temporary files", .timeLimit(.minutes(5)))
    func writersAtOnce() async throws {
        let path = folder.file("a")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in UInt8(0)..<8 {
                group.addTask {
                    for _ in 0..<100 {
                        try AtomicFile.replaceAtOnce(path, with: [UInt8](repeating: writer, count: 3000))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try Set(WholeFile.read(path)).count == 1 && folder.names == ["a"])
    }
}

@Suite struct HelperThreadTests {
    @Test("The body runs on another thread, with signals blocked", .timeLimit(.minutes(5)))
    func signalsAreBlocked() async {
        let caller = "\(pthread_self())"
        let result = await withCheckedContinuation { continuation in
            let isStarted = HelperThread.start {
                var mask = sigset_t()
                pthread_sigmask(SIG_BLOCK, nil, &mask)
                let isBlocked = sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGCHLD) == 1
                // A fault ends the thread at once only if its signal isn't blocked.
                let faults = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGSYS]
                let hasFaults = faults.allSatisfy { sigismember(&mask, $0) == 0 }
                continuation.resume(returning: (isBlocked && hasFaults, "\(pthread_self())"))
            }
            #expect(isStarted)
        }
        #expect(result.0)
        #expect(result.1 != caller)
    }
}
