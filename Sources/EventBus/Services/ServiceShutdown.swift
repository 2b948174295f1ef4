internal import AshlarCore
import Synchronization

/// The shutdown of a service, as the code of the service sees it.
///
/// A service that asks for its shutdown, with ``ServiceContext/shutdown`` or ``current``, drains: when it is stopped, its
/// `run()` isn't cancelled before the deadline of the stop, and without a deadline it isn't cancelled at all. The
/// `run()` of any other service is cancelled when its `stop()` returns.
///
/// ```swift
/// final class Importer: RunningService {
///     let shutdown: ServiceShutdown
///     init(_ context: ServiceContext) async throws { shutdown = context.shutdown }
///     func run() async throws {
///         while !shutdown.hasBegun { try await Task.sleep(for: .milliseconds(5)) }
///         print("the last steps")
///     }
/// }
/// let services = ServiceRegistry(bus: EventBus())
/// try await services.register(Importer.self)
/// try await services.start(Importer.self)
/// try await services.stop("Importer", within: .seconds(5))  // the last steps
/// ```
///
/// As a sequence, it returns one element when the shutdown begins, and ends. Several tasks can wait for it.
public final class ServiceShutdown: AsyncSequence, Sendable {
    private let state = Broadcast(false)
    /// Whether the code of the service has asked for its shutdown, so that it ends by itself.
    private let observation = Atomic(false)

    init() {}

    /// The shutdown of the service whose code the current task runs; nil in other tasks.
    ///
    /// A task that the code of a service creates inherits the value; a `Task.detached` doesn't.
    public static var current: ServiceShutdown? { ServiceRegistry.caller?.shutdown.observed() }

    /// Whether the service has to end: a stop, a shutdown, or the cancellation of its start has begun.
    public var hasBegun: Bool { state.current }

    func observed() -> ServiceShutdown {
        observation.store(true, ordering: .relaxed)
        return self
    }

    var isObserved: Bool { observation.load(ordering: .relaxed) }

    func begin() { state.update { $0 ? nil : true } }

    /// Waits for the beginning of the shutdown.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var changes: AsyncStream<Bool>.Iterator?

        /// Returns when the shutdown begins; returns nil after that, or if the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Void? {
            while let hasBegun = await changes?.next(isolation: actor) {
                if !hasBegun { continue }
                changes = nil
                return ()
            }
            return nil
        }
    }

    /// Returns an iterator that waits for the beginning of the shutdown.
    public func makeAsyncIterator() -> Iterator { Iterator(changes: state.changes().makeAsyncIterator()) }
}
