import AshlarAppConfig
import BenchmarkHarness
import Foundation
import Synchronization

/// The time from the replacement of a file until its new value is current, beyond the debounce of 20 ms.
func watchRows(_ suite: inout BenchmarkSuite) {
    let debounce = 20.0
    var measured: [Double]?
    func percentile(_ share: Double) -> Double {
        let latencies = measured ?? latenciesOfWatching(generations: 200)
        measured = latencies
        return latencies[Int(Double(latencies.count - 1) * share)] - debounce
    }
    suite.value("reload after an atomic rename, p50", unit: "ms beyond the debounce") { percentile(0.5) }
    suite.value("reload after an atomic rename, p99", unit: "ms beyond the debounce") { percentile(0.99) }
}

/// Milliseconds from the rename of each new generation to the event of its reload, sorted.
private func latenciesOfWatching(generations: Int) -> [Double] {
    let directory = NSTemporaryDirectory() + "ashlar-config-watch-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let seen = Latest()
    do {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let file = directory + "/ApplicationConfig.json"
        try Data("{\"n\": 0}".utf8).write(to: URL(fileURLWithPath: file))
        let store = try ConfigStore(loading: .directory(directory, environments: []))
        let watch = store.watch()
        defer { watch.cancel() }
        let events = store.events()
        Task.detached {
            for await _ in events {
                let generation = store.current.int(forKey: "n") ?? 0
                seen.state.withLock { $0 = (generation, .now) }
            }
        }
        return try (1...generations).map { generation in
            try Data("{\"n\": \(generation)}".utf8).write(to: URL(fileURLWithPath: file + ".new"))
            let start = ContinuousClock.now
            guard rename(file + ".new", file) == 0 else { fatalError("rename failed") }
            while true {
                let (last, at) = seen.state.withLock { $0 }
                if last == generation { return (at - start) / .milliseconds(1) }
                usleep(500)
            }
        }.sorted()
    } catch {
        fatalError("\(error)")
    }
}

/// The newest observed generation and its time.
private final class Latest: Sendable {
    let state = Mutex<(generation: Int, at: ContinuousClock.Instant)>((0, .now))
}
