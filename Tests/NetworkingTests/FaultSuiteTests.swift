import AshlarNetworkingTestSupport
import AshlarTestSupport

#if os(Linux)
    import AshlarNetworking
    import Foundation
    import Glibc
    import Testing

    /// Every fault on a fresh client, on one shared client, and at the same time as healthy requests.
    ///
    /// The client runs in its own process, so that a crash is a failure of the test.
    @Suite(.timeLimit(.minutes(30))) struct FaultSuiteTests {
        private static var isLong: Bool { ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1" }
        private static var seed: UInt64 {
            ProcessInfo.processInfo.environment["ASHLAR_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)
        }

        init() { setenv("SWIFT_BACKTRACE", "enable=no", 1) }

        @Test("Every fault has its outcome on a fresh client")
        func freshClients() async throws {
            let world = try FaultWorld()
            await #expect(processExitsWith: .success) { [places = world.places as FaultPlaces] in
                for number in Fault.all.indices {
                    let checker = FaultChecker(client: try places.client(), places: places)
                    let defect = await checker.fault(number)
                    #expect(defect == nil, "\(defect ?? "")")
                }
            }
        }

        @Test("A fault never affects the next request of a shared client")
        func sharedClient() async throws {
            let running = Mutex(0)
            let (world, other) = (try FaultWorld(running), try FaultWorld(running))
            let (seed, rounds) = (Self.seed, Self.isLong ? 100 : 2)
            print("faults on one client of \((try? CurlTransport())?.version ?? "no libcurl"): ASHLAR_SEED=\(seed)")
            await #expect(processExitsWith: .success) {
                [
                    places = world.places as FaultPlaces, other = other.places as FaultPlaces, seed = seed as UInt64,
                    rounds = rounds as Int
                ] in
                var generator = SeededRandom(seed: seed)
                let client = try places.client()
                let checker = FaultChecker(client: client, places: places)
                let elsewhere = FaultChecker(client: client, places: other)
                var count = 0
                for _ in 0..<rounds {
                    for number in Fault.all.indices.shuffled(using: &generator) {
                        let defect = await checker.fault(number)
                        #expect(defect == nil, "\(defect ?? "")")
                        if Fault.all[number].isUnsolicited { await elsewhere.settle() }
                        count += 1
                        for control in [checker, elsewhere] {
                            let harm = await control.control(count)
                            #expect(harm == nil, "after \(Fault.all[number].name): \(harm ?? "")")
                        }
                    }
                }
            }
        }

        @Test("16 concurrent faults affect none of 16 concurrent healthy requests")
        func concurrently() async throws {
            let (world, noisy) = (try FaultWorld(), try FaultWorld())
            let (seed, rounds) = (Self.seed, Self.isLong ? 100 : 2)
            print("faults at the same time: ASHLAR_SEED=\(seed)")
            await #expect(processExitsWith: .success) {
                [
                    places = world.places as FaultPlaces, noisy = noisy.places as FaultPlaces, seed = seed as UInt64,
                    rounds = rounds as Int
                ] in
                var generator = SeededRandom(seed: seed)
                let client = try places.client(connectionsPerHost: 32)
                let checker = FaultChecker(client: client, places: places)
                let elsewhere = FaultChecker(client: client, places: noisy)
                for round in 0..<rounds {
                    let numbers = Fault.all.indices.shuffled(using: &generator)
                    for start in stride(from: 0, to: numbers.count, by: 16) {
                        let batch = numbers[start..<min(start + 16, numbers.count)]
                        let defects = await withTaskGroup(of: String?.self) { group in
                            for number in batch {
                                group.addTask {
                                    guard Fault.all[number].isUnsolicited else { return await checker.fault(number) }
                                    _ = await elsewhere.fault(number)  // may get the bytes of another one
                                    return nil
                                }
                            }
                            for number in 0..<16 {
                                group.addTask { await checker.control((round * 1000 + start) * 16 + number) }
                            }
                            return await group.reduce(into: [String]()) { if let defect = $1 { $0.append(defect) } }
                        }
                        #expect(defects.isEmpty, "\(defects)")
                    }
                }
            }
        }
    }
#endif
