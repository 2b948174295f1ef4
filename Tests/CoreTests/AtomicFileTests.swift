import AshlarCore
import AshlarTestSupport
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct AtomicFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder([:]) }

    @Test("Threads that replace one file run one after the other")
    func waiting() async throws {
        final class Counter: Sendable { let value = Atomic(0) }
        let (path, counter) = (folder.path + "/file", Counter())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<100 {
                        // Two steps, so that threads that run at the same time lose a number.
                        try AtomicFile.replace(path) {
                            let value = counter.value.load(ordering: .relaxed)
                            counter.value.store(value + 1, ordering: .relaxed)
                            return []
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(counter.value.load(ordering: .relaxed) == 800)
    }

    @Test("Only the owner of a lock file can read and write it")
    func permissions() throws {
        let path = folder.path + "/file"
        var permissions: Int?
        try AtomicFile.replace(path) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + ".lock")
            permissions = attributes?[.posixPermissions] as? Int
            return []
        }
        #expect(permissions == 0o600)
    }

    @Test("A link in the place of the lock isn't followed")
    func link() throws {
        let path = folder.path + "/file"
        let other = try folder.write("", to: "other", atomically: false)
        try FileManager.default.createSymbolicLink(atPath: path + ".lock", withDestinationPath: other)
        #expect(throws: FileFailure(path + ".lock", .system(ELOOP))) { try AtomicFile.replace(path, with: []) }
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

        @Test("A lock has one descriptor, which new programs don't inherit")
        func descriptors() throws {
            let path = URL(fileURLWithPath: folder.path).resolvingSymlinksInPath().path + "/file"
            try AtomicFile.replace(path) {
                let descriptors = Self.descriptors(of: path + ".lock")
                #expect(descriptors.map { fcntl($0, F_GETFD) & FD_CLOEXEC } == [FD_CLOEXEC])
                return []
            }
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
            // The file of the lock is removed, so its copies say whether it is still locked.
            let lock = try #require(copies.first)
            let reopened = open("/proc/self/fd/\(lock)", O_RDWR)
            defer { close(reopened) }
            #expect(flock(reopened, LOCK_EX | LOCK_NB) == 0)
        }
    #endif
}
