import AshlarCore

extension AshlarApp {
    @TaskLocal private static var scoped: AshlarApp?
    private static let process = Mutex<AshlarApp?>(nil)

    /// The app of the current task, or the one that this process started last; nil before the first start.
    public static var current: AshlarApp? { scoped ?? process.withLock { $0 } }

    static func setCurrent(_ app: AshlarApp) {
        // The previous app is released outside the lock.
        _ = process.withLock { current in
            defer { current = app }
            return current
        }
    }

    /// Runs code whose ``current`` app is this one, for tests and previews.
    ///
    /// Child tasks of the code use this app, too; other tasks don't.
    public func asCurrent<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$scoped.withValue(self, operation: body)
    }

    /// Runs asynchronous code whose ``current`` app is this one.
    public func asCurrent<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await Self.$scoped.withValue(self, operation: body, isolation: isolation)
    }
}
