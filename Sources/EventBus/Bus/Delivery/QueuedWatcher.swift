/// A watcher that takes events into a mailbox, from which one drainer handles them: in order, one at a time.
class QueuedWatcher<Payload: Sendable>: TypedWatcher<Payload>, @unchecked Sendable {
    // Unchecked because the superclass is; what is added is immutable.
    let mailbox: Mailbox
    private weak let bus: EventBus?
    private let isOnce: Bool

    init(_ options: WatchOptions, id: UInt64, traits: WatcherState, buffer: EventBuffer, bus: EventBus) {
        mailbox = Mailbox(buffer)
        self.bus = bus
        isOnce = options.once
        super.init(options, id: id, traits: traits.union(.indirect)) { _ in }
    }

    override final var isQueued: Bool { true }

    override func take(_ signal: Signal<Payload>, _ call: TriggerCall) throws -> Taking { queue(signal, call) }

    final func queue(_ signal: Signal<Payload>, _ call: TriggerCall) -> Taking {
        let event = QueuedSignal(signal)
        if let sending = call.sending, let ticket = mailbox.ticketIfFull(event) {
            sending.add { [mailbox] in await mailbox.waitForRoom(ticket) }
            return .skipped
        }
        let (taking, mustDrain) = mailbox.put(event)
        if mustDrain { startDrainer() }
        return taking
    }

    /// Starts the task that drains the mailbox; a stream has none.
    func startDrainer() {}

    /// Handles what waits until nothing does, and lets others run now and then.
    final func drain(
        isolation: isolated (any Actor)?, _ handle: (Signal<Payload>) async throws -> Void
    ) async {
        await DrainedWatch.$current.withValue(DrainedWatch.current.union([DrainedWatch(bus: bus, id: id)])) {
            var (batch, handled) = (Fifo<QueuedEvent>(), 0)
            while let event = mailbox.takeOrRest(&batch) {
                guard isLive else { continue }
                let signal = QueuedSignal<Payload>.signal(of: event)
                do { try await handle(signal) } catch {
                    let failure = EventFailure(
                        error: error, name: signal.name, sequence: signal.sequence, watcher: location)
                    bus?.report(failure)
                }
                if isOnce { bus?.forget(self, topic: signal.name) }
                handled += 1
                if handled % 64 == 0 { await Task.yield() }
            }
        }
    }

    override func didCancel() { mailbox.finish(throwingAway: true) }
}

/// A queued watcher whose handler runs in a task of its own.
final class MailboxWatcher<Payload: Sendable>: QueuedWatcher<Payload>, @unchecked Sendable {
    typealias AsyncHandler = @Sendable (Signal<Payload>) async throws -> Void
    private let asyncHandler: AsyncHandler

    init(
        _ options: WatchOptions, id: UInt64, traits: WatcherState, buffer: EventBuffer, bus: EventBus,
        handler: @escaping AsyncHandler
    ) {
        asyncHandler = handler
        super.init(options, id: id, traits: traits, buffer: buffer, bus: bus)
    }

    override func startDrainer() { Task.detached { [self] in await drain(isolation: nil, asyncHandler) } }
}

/// A queued watcher whose handler runs on an actor, which is held weakly.
final class ActorWatcher<On: Actor, Payload: Sendable>: QueuedWatcher<Payload>, @unchecked Sendable {
    typealias ActorHandler = @Sendable (isolated On, Signal<Payload>) async throws -> Void
    private weak let actor: On?
    private let actorHandler: ActorHandler

    init(
        _ options: WatchOptions, id: UInt64, traits: WatcherState, buffer: EventBuffer, bus: EventBus, actor: On,
        handler: @escaping ActorHandler
    ) {
        (self.actor, actorHandler) = (actor, handler)
        super.init(options, id: id, traits: traits, buffer: buffer, bus: bus)
    }

    override func take(_ signal: Signal<Payload>, _ call: TriggerCall) throws -> Taking {
        actor == nil ? .skipped : queue(signal, call)
    }

    override func startDrainer() {
        guard let actor else { return mailbox.finish(throwingAway: true) }
        Task.detached { [self] in await drain(on: actor) }
    }

    private func drain(on actor: isolated On) async {
        await drain(isolation: actor) { try await actorHandler(actor, $0) }
    }
}

/// A watcher whose handler runs on the main actor: at once if the caller is there and nothing waits, else queued.
final class MainWatcher<Payload: Sendable>: QueuedWatcher<Payload>, @unchecked Sendable {
    /// Returns false if the owner is gone.
    typealias MainHandler = @MainActor @Sendable (Signal<Payload>) throws -> Bool
    private let mainHandler: MainHandler
    private let isAlwaysQueued: Bool

    init(
        _ options: WatchOptions, id: UInt64, traits: WatcherState, isAlwaysQueued: Bool, bus: EventBus,
        handler: @escaping MainHandler
    ) {
        (mainHandler, self.isAlwaysQueued) = (handler, isAlwaysQueued)
        super.init(options, id: id, traits: traits, buffer: .unbounded, bus: bus)
    }

    override func take(_ signal: Signal<Payload>, _ call: TriggerCall) throws -> Taking {
        guard !isAlwaysQueued, call.isOnMain, mailbox.isIdle else { return queue(signal, call) }
        let isTaken = try MainActor.assumeIsolated { try mainHandler(signal) }
        return isTaken ? .delivered : .skipped
    }

    override func startDrainer() { Task.detached { [self] in await drainOnMain() } }

    @MainActor
    private func drainOnMain() async {
        await drain(isolation: MainActor.shared) { _ = try mainHandler($0) }
    }
}
