#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The stack that work may use: a half of that of a secondary thread of Apple's systems. Without optimization, a function
/// uses several times as much.
#if DEBUG
    package let stackLimit = 2 << 20
#else
    package let stackLimit = 256 << 10
#endif

/// Returns the result of a closure and the number of bytes of stack that it uses, on a thread of its own.
///
/// A test compares the figure with ``stackLimit``. The figure includes a few kilobytes of the thread itself.
package func stackUse<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> (value: Value, bytes: Int) {
    try await offPool {
        let size = 16 << 20
        // Fresh pages are zero, so that the lowest other page is the end of the deepest frame.
        let stack = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
        guard let stack, stack != MAP_FAILED else { throw NoStack() }
        defer { munmap(stack, size) }
        let work = StackWork { Result { try body() } }
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        pthread_attr_init(attributes)
        pthread_attr_setstack(attributes, stack, size)
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread: pthread_t = 0
        #endif
        let code = pthread_create(&thread, attributes, StackWork.run, Unmanaged.passUnretained(work).toOpaque())
        pthread_attr_destroy(attributes)
        guard code == 0 else { throw NoStack() }
        #if canImport(Darwin)
            if let thread { pthread_join(thread, nil) }
        #else
            pthread_join(thread, nil)
        #endif
        let zeros = [UInt8](repeating: 0, count: 4096)
        var unused = 0
        while unused < size, memcmp(stack + unused, zeros, zeros.count) == 0 { unused += zeros.count }
        guard let value = try work.result?.get() as? Value else { throw NoStack() }
        return (value, size - unused)
    }
}

/// The system refused a thread or the memory for its stack.
private struct NoStack: Error {}

/// What the thread runs.
private final class StackWork {
    let body: () -> Result<Any, any Error>
    var result: Result<Any, any Error>?

    init<Value>(_ body: @escaping () -> Result<Value, any Error>) { self.body = { body().map { $0 as Any } } }

    #if canImport(Darwin)
        static let run: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
            let work = Unmanaged<StackWork>.fromOpaque($0).takeUnretainedValue()
            work.result = work.body()
            return nil
        }
    #else
        static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { raw in
            guard let raw else { return nil }
            let work = Unmanaged<StackWork>.fromOpaque(raw).takeUnretainedValue()
            work.result = work.body()
            return nil
        }
    #endif
}
