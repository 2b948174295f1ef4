import AshlarTestSupport

/// The lock of these tests, which the thread sanitizer understands.
typealias Mutex = Locked
