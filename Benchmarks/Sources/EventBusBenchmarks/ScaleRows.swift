import AshlarEventBus
import BenchmarkHarness

extension BenchmarkSuite {
    mutating func scaleRows() {
        manyTopicsRows()
        requestRow()
        servicesRow()
    }

    /// 1,000,000 topics and 20,000 patterns on one bus.
    private mutating func manyTopicsRows() {
        let bus = EventBus()
        let bag = WatchBag()
        for number in 0..<1_000_000 {
            guard let name = try? TopicPattern(parsing: "device\(number):value") else { continue }
            bus.watch(name) { blackHole($0.name) }.store(in: bag)
        }
        for number in 0..<20_000 {
            guard let pattern = try? TopicPattern(parsing: "area\(number):*:state") else { continue }
            bus.watch(pattern) { blackHole($0.name) }.store(in: bag)
        }
        let names = (0..<100_000).map { "fresh\($0):name" }
        value(
            "trigger of a fresh name, 1,000,000 topics and 20,000 patterns", unit: "µs", bar: .below(5)
        ) {
            let time = ContinuousClock().measure { for name in names { _ = try? bus.trigger(named: name) } }
            return microseconds(time) / Double(names.count)
        }
        value(
            "a narrow watch and its cancel, 1,000,000 topics and 20,000 patterns", unit: "µs", bar: .below(1000)
        ) {
            let time = ContinuousClock().measure {
                for _ in 0..<100 { bus.watch("device7:*") { blackHole($0.name) }.cancel() }
            }
            return microseconds(time) / 100
        }
    }

    private mutating func requestRow() {
        let bus = EventBus()
        let topic = RequestTopic<Int, Int>("bench:request")
        guard let watch = try? bus.respond(to: topic, { $0 &+ 1 }) else { return }
        row(
            "a request and its reply",
            ours: Contender(async: "AshlarEventBus") { n in
                for i in 0..<n { blackHole(try? await bus.request(topic, i)) }
            },
            against: [
                Peer(
                    Contender(async: "two tasks") { n in
                        for i in 0..<n {
                            let timer = Task { try await Task.sleep(for: .seconds(30)) }
                            blackHole(await Task.detached { i &+ 1 }.value)
                            timer.cancel()
                        }
                    })
            ])
        watch.cancel()
    }

    private mutating func servicesRow() {
        struct Idle: Service { init(_ context: ServiceContext) {} }
        let starts = Contender(async: "AshlarEventBus") { n in
            for _ in 0..<n {
                let services = ServiceRegistry(bus: EventBus())
                for number in 0..<1000 {
                    try? await services.register("s\(number)", needs: number == 0 ? [] : ["s\(number / 2)"]) {
                        Idle($0)
                    }
                }
                try? await services.startAll()
                blackHole(services)
            }
        }
        row(
            "start of 1,000 services", ours: starts,
            against: [
                Peer(
                    Contender(async: "1,000 tasks") { n in
                        for _ in 0..<n { for i in 0..<1000 { blackHole(await Task.detached { i }.value) } }
                    }, .atMost(10))
            ])
    }
}

private func microseconds(_ time: Duration) -> Double {
    Double(time.components.attoseconds) / 1e12 + Double(time.components.seconds) * 1e6
}
