/// A running watch over files; it ends when it is cancelled or released.
///
/// In-place writes, atomic renames, deletion and re-creation are noticed, and so are replaced symbolic links and
/// directories anywhere on the way to a file. Events are gathered for 20 ms. A writer that keeps a file open is noticed
/// when it pauses for 100 ms, or after one second. A file that vanished has 200 ms to come back before it counts as
/// missing. Every five seconds the files are compared without an event, as not every file system reports all of them.
package final class PathWatch: Sendable {
    /// How changes are noticed.
    package enum Method: Hashable, Sendable {
        /// By the system's events, or by comparing the files every second if the system has none to give.
        case events
        /// By comparing the files at an interval.
        case polling(every: Duration)
    }

    /// Called on a thread of the library with what the files looked like when the change was noticed.
    package typealias Handler = @Sendable (PathSnapshot) -> Void

    /// Whether the files are compared at an interval.
    package let isPolling: Bool
    private let end: @Sendable () -> Void

    init(isPolling: Bool, end: @escaping @Sendable () -> Void) {
        self.isPolling = isPolling
        self.end = end
    }

    /// Ends the watch; a call of the handler that has begun is completed.
    package func cancel() { end() }

    deinit { end() }

    /// Starts to watch files.
    ///
    /// When this returns, later changes are noticed. A file that changed shortly before may be reported too.
    ///
    /// The files need not exist yet.
    package static func start(
        _ paths: [String], by method: Method = .events, onChange: @escaping Handler
    ) -> PathWatch {
        switch method {
        case .polling(let interval): polling(paths, every: interval, onChange)
        case .events: events(paths, onChange) ?? polling(paths, every: .seconds(1), onChange)
        }
    }

    private static func polling(_ paths: [String], every interval: Duration, _ onChange: @escaping Handler) -> PathWatch
    {
        let watch = PollingWatch(paths, every: interval, onChange)
        watch.start()
        return PathWatch(isPolling: true) { watch.cancel() }
    }

    private static func events(_ paths: [String], _ onChange: @escaping Handler) -> PathWatch? {
        #if os(Linux)
            InotifyHub.shared.watch(paths, onChange)
        #elseif canImport(Darwin)
            VnodeWatch.start(paths, DispatchVnodeEvents(), onChange)
        #else
            nil
        #endif
    }
}
