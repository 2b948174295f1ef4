internal import AshlarCore

// The actions of the machine. The code of services runs in tasks of its own, whose results are reported to the machine.
extension ServiceRegistry {
    func perform(_ actions: [ServiceMachine.Action]) {
        for action in actions {
            switch action {
            case .make(let name, let attempt): make(name, attempt)
            case .adopt(let name, let attempt): run(name, attempt)
            case .stop(let name, let attempt): stop(name, attempt)
            case .cancel(let attempt):
                let instance = instances[attempt]
                instance?.shutdown.begin()
                for task in [instance?.make, instance?.run, instance?.stop] { task?.cancel() }
            case .end(let attempt): instances[attempt] = nil
            case .setTimer(let request, let limit): setTimer(request, limit)
            case .answer(let id, let error):
                let request = pending.removeValue(forKey: id)
                request?.limit?.cancel()
                let service = request?.service.flatMap { self.service(named: $0) }
                request?.result.finish(error.map { .failure($0) } ?? .success(service))
            case .report(let name, let state, let error):
                let change = ServiceChange(name: name.text, state: state, error: error)
                bus.trigger(Topic(unchecked: "service:\(name):\(state)"), change)
            case .conclude(let name, let error): conclude(name, error)
            }
        }
        checkRun()
    }

    /// Runs code of a service in its own task.
    private func task<Value: Sendable>(
        _ name: ByteText, _ attempt: UInt64, _ shutdown: ServiceShutdown,
        body: @escaping @Sendable () async throws -> Value,
        then end: @escaping @Sendable (isolated ServiceRegistry, Result<Value, any Error>) -> Void
    ) -> Task<Void, Never> {
        let caller = (ObjectIdentifier(self), ServiceMachine.Caller(name: name, attempt: attempt), shutdown)
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
        let instance = Instance(name: name.text)
        let context = ServiceContext(
            name: name.text, bus: bus, options: machine.entries[name]?.options ?? [:], needed: needed,
            ownShutdown: instance.shutdown,
            report: { [weak self] health in
                reports.add(health)
                // Tasks reach the registry in any order, so each takes the oldest report there.
                Task { await self?.takeReport(from: reports, attempt: id) }
            })
        instances[id] = instance
        instances[id]?.make = task(name, id, instance.shutdown) {
            try await make(context)
        } then: {
            $0.made(id, $1)
        }
    }

    private func made(_ id: UInt64, _ result: Result<any Service, any Error>) {
        switch result {
        case .success(let service):
            instances[id]?.service = service
            perform(machine.made(attempt: id))
        case .failure(let error): perform(machine.made(attempt: id, error: error))
        }
    }

    private func run(_ name: ByteText, _ id: UInt64) {
        guard let instance = instances[id], let service = instance.service as? any RunningService else { return }
        instances[id]?.run = task(name, id, instance.shutdown) {
            try await service.run()
        } then: {
            $0.perform($0.machine.runEnded(attempt: id, error: $1.failure))
        }
    }

    private func stop(_ name: ByteText, _ id: UInt64) {
        guard let instance = instances[id], let service = instance.service else { return }
        instance.shutdown.begin()
        instances[id]?.stop = task(name, id, instance.shutdown) {
            let result: Result<Void, any Error>
            do { result = .success(try await service.stop()) } catch { result = .failure(error) }
            if !instance.shutdown.isObserved { instance.run?.cancel() }
            await instance.run?.value
            try result.get()
        } then: {
            $0.perform($0.machine.stopEnded(attempt: id, error: $1.failure))
        }
    }

    private func setTimer(_ request: UInt64, _ limit: Duration) {
        pending[request]?.limit = Task.detached { [clock] in
            do { try await clock.wait(for: limit) } catch { return }
            await self.limitPassed(request, limit)
        }
    }

    private func limitPassed(_ request: UInt64, _ limit: Duration) { perform(machine.limitPassed(request, limit)) }
}

extension Result {
    /// The error, if this is a failure.
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
