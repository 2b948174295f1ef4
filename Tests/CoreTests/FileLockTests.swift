import AshlarCore
import AshlarTestSupport
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct FileLockTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder([:]) }

    @Test("A file or folder has one lock, which ends with its object")
    func exclusion() throws {
        for (path, target) in [(folder.path + "/lock", FileLock.Target.file), (folder.path, .folder)] {
            var lock = try FileLock.attempt(path, target)
            #expect(lock != nil)
            #expect(try FileLock.attempt(path, target) == nil)
            withExtendedLifetime(lock) {}
            lock = nil
            #expect(try FileLock.attempt(path, target) != nil)
        }
    }

    @Test("A lock is not acquired on a link, a missing folder, or a file in place of a folder")
    func failures() throws {
        let file = try folder.write("", to: "file", atomically: false)
        let link = folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file)
        #expect(throws: FileFailure(link, .system(ELOOP))) { try FileLock.attempt(link) }
        let missing = folder.path + "/missing/lock"
        #expect(throws: FileFailure(missing, .system(ENOENT))) { try FileLock.attempt(missing) }
        #expect(throws: FileFailure(file, .system(ENOTDIR))) { try FileLock.attempt(file, .folder) }
    }

    @Test("Threads that replace one file run one after the other")
    func waiting() async throws {
        final class Counter: Sendable { let value = Atomic(0) }
        let (path, counter) = (folder.path + "/file", Counter())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 {
                        // Two steps, so that threads that run at the same time lose a number.
                        try AtomicFile.replace(path, isDurable: false) {
                            let value = counter.value.load(ordering: .relaxed)
                            counter.value.store(value + 1, ordering: .relaxed)
                            return []
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(counter.value.load(ordering: .relaxed) == 4000)
    }

    @Test("Only the owner of a lock file can read and write it")
    func permissions() throws {
        let path = folder.path + "/lock"
        _ = try FileLock.attempt(path)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    #if os(Linux)
        /// Returns the descriptors of a file.
        private static func descriptors(of path: String) -> [Int32] {
            (0..<1024).filter { descriptor in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")) == path
            }
        }

        /// Copies the descriptors of a file, as a fork does.
        private static func copyDescriptors(of path: String) -> [Int32] { descriptors(of: path).map { dup($0) } }

        @Test("A lock has one descriptor, which new programs don't inherit, and a refused lock has none")
        func descriptors() throws {
            let path = URL(fileURLWithPath: folder.path).resolvingSymlinksInPath().path + "/lock"
            let lock = try #require(try FileLock.attempt(path))
            #expect(try FileLock.attempt(path) == nil)
            let descriptors = Self.descriptors(of: path)
            #expect(descriptors.map { fcntl($0, F_GETFD) & FD_CLOEXEC } == [FD_CLOEXEC])
            withExtendedLifetime(lock) {}
        }

        @Test("A lock ends with its owner, even if a forked child has its descriptor")
        func forkedChild() throws {
            let path = URL(fileURLWithPath: folder.path).resolvingSymlinksInPath().path + "/lock"
            var copies: [Int32] = []
            defer { for copy in copies { close(copy) } }
            do {
                let lock = try #require(try FileLock.attempt(path))
                copies += Self.copyDescriptors(of: path)
                withExtendedLifetime(lock) {}
            }
            #expect(copies.count == 1)
            #expect(try FileLock.attempt(path) != nil)
        }

        @Test("A failed replacement releases its lock and leaves no file, even if a forked child has its descriptor")
        func failedReplacement() throws {
            let path = URL(fileURLWithPath: folder.path).resolvingSymlinksInPath().path + "/file"
            var copies: [Int32] = []
            defer { for copy in copies { close(copy) } }
            #expect(throws: FileFailure.self) {
                try AtomicFile.replace(path) {
                    copies += Self.copyDescriptors(of: path + ".lock")
                    mkdir(path, 0o700)
                    return []
                }
            }
            #expect(copies.count == 1)
            #expect(folder.names == ["file"])
            #expect(try FileLock.attempt(path + ".lock") != nil)
        }
    #endif
}
