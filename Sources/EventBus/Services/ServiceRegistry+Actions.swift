internal import AshlarCore

// The actions of the state machine. The code of services runs in separate tasks, whose results are passed to the
// machine.
extension ServiceRegistry {
    func perform(_ actions: [ServiceMachine.Action]) {
        for action in actions {
            switch action {
            case .make(let name, let life): make(name, life)
            case .adopt(let name, let life): run(name, life)
            case .stop(let name, let life): stop(name, life)
            case .cancel(let life):
                for task in [lives[life]?.make, lives[life]?.run, lives[life]?.stop] { task?.cancel() }
            case .end(let life): lives[life] = nil
            case .setTimer(let id, let duration):
                timers[id] = Task.detached { [clock] in
                    do { try await clock.wait(for: duration) } catch { return }
                    await self.timerFired(id)
                }
            case .cancelTimer(let id): timers.removeValue(forKey: id)?.cancel()
            case .answer(let id, let error): answer(id, error)
            case .finishShutdown(let id, let unclean):
                if case .shutdown(let continuation) = pending.removeValue(forKey: id) {
                    continuation.resume(returning: unclean.map(\.text))
                }
            case .report(let name, let state, let error):
                let change = ServiceChange(name: name.text, state: state, error: error)
                bus.trigger(Topic(unchecked: "service:\(name):\(state)"), change)
            }
        }
    }

    private func answer(_ id: UInt64, _ error: (any Error)?) {
        switch pending.removeValue(forKey: id) {
        case .start(let name, let continuation):
            if let error { return continuation.resume(throwing: error) }
            if let service = service(named: name) { return continuation.resume(returning: service) }
            // It has failed since, in a handler of the event of its start.
            continuation.resume(throwing: EventBusError(.serviceFailed, subject: name))
        case .stop(let continuation):
            if let error { continuation.resume(throwing: error) } else { continuation.resume() }
        case .shutdown(let continuation): continuation.resume(returning: [])
        case nil: break
        }
    }

    /// Runs code of a service in its own task.
    private func task<Value: Sendable>(
        _ name: ByteText, _ life: UInt64, _ body: @escaping @Sendable () async throws -> Value,
        then end: @escaping @Sendable (isolated ServiceRegistry, Result<Value, any Error>) -> Void
    ) -> Task<Void, Never> {
        let caller = (ObjectIdentifier(self), ServiceMachine.Caller(name: name, life: life))
        return Task.detached(priority: Task.currentPriority) {
            let result: Result<Value, any Error>
            do { result = .success(try await Self.$caller.withValue(caller, operation: body)) } catch {
                result = .failure(error)
            }
            await end(self, result)
        }
    }

    private func make(_ name: ByteText, _ id: UInt64) {
        guard let make = makers[name] else { return }
        let needed = machine.needs(of: name).compactMap { need in
            service(named: need.text).map { (need.text, $0) }
        }
        let reports = HealthReports()
        let context = ServiceContext(
            name: name.text, bus: bus, options: machine.options(of: name), needed: needed,
            report: { [weak self] health in
                reports.add(health)
                // Tasks reach the registry in any order, so each takes the oldest report there.
                Task { await self?.takeReport(from: reports, life: id) }
            })
        lives[id] = Life(name: name.text)
        lives[id]?.make = task(name, id) {
            try await make(context)
        } then: {
            $0.made(id, $1)
        }
    }

    private func made(_ id: UInt64, _ result: Result<any Service, any Error>) {
        switch result {
        case .success(let instance) where lives[id] == nil:
            // The start was abandoned; an instance that it created later is stopped without a report.
            Task.detached { try? await instance.stop() }
        case .success(let instance):
            lives[id]?.instance = instance
            perform(machine.made(life: id))
        case .failure(let error): perform(machine.made(life: id, error: error))
        }
    }

    private func run(_ name: ByteText, _ id: UInt64) {
        guard let service = lives[id]?.instance as? any RunningService else { return }
        lives[id]?.run = task(name, id) {
            try await service.run()
        } then: {
            $0.perform($0.machine.runEnded(life: id, error: $1.failure))
        }
    }

    private func stop(_ name: ByteText, _ id: UInt64) {
        guard let life = lives[id], let instance = life.instance else { return }
        lives[id]?.stop = task(name, id) {
            let result: Result<Void, any Error>
            do { result = .success(try await instance.stop()) } catch { result = .failure(error) }
            life.run?.cancel()
            await life.run?.value
            try result.get()
        } then: {
            $0.perform($0.machine.stopEnded(life: id, error: $1.failure))
        }
    }

    private func timerFired(_ id: UInt64) {
        timers[id] = nil
        perform(machine.timerFired(id))
    }
}

/// The reported health of a service, in the order of the reports.
final class HealthReports: Sendable {
    private let waiting = Mutex(Fifo<ServiceHealth>())

    func add(_ health: ServiceHealth) { waiting.withLock { $0.append(health) } }

    func next() -> ServiceHealth? { waiting.withLock { $0.popFirst() } }
}

extension Result {
    /// The error, if this is a failure.
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
