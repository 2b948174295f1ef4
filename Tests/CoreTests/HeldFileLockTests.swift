import AshlarCore
import Foundation
import Testing

#if os(Linux)
    @Suite struct HeldFileLockTests {
        @Test(
            "A released lock is free, although a copy of its descriptor is open, as in a process that is being started")
        func copiedDescriptor() throws {
            let path = NSTemporaryDirectory() + "core-lock-\(UUID())"
            defer { unlink(path) }
            var lock = try HeldFileLock(path)
            let second = try HeldFileLock(path)
            #expect(lock != nil && second == nil)
            let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(
                Int32.init)
            let found = descriptors.first { descriptor in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")) == path
            }
            let copy = dup(try #require(found))
            defer { close(copy) }
            lock = nil
            lock = try HeldFileLock(path)
            #expect(lock != nil)
        }
    }
#endif
