import AshlarCore
import AshlarEventBus
import AshlarFleet
import AshlarLogging
import Foundation

// A process of a fleet for tests: publishes stored events, and reports what it has received as lines of text.
//
//     AshlarFleetTestChild URL ROLE FIRST COUNT TOTAL
//
// It triggers COUNT events with numbers from FIRST, waits until TOTAL events have been received, and prints how many it
// received, how many of them twice, and how many out of the order of their publisher.
//
//     AshlarFleetTestChild log URL ROLE FOLDER COUNT
//
// It logs COUNT lines into a folder whose runs are shared.

let arguments = CommandLine.arguments
if arguments[1] == "log" {
    await shareLog(url: arguments[2], role: arguments[3], folder: arguments[4], count: Int(arguments[5]) ?? 0)
    exit(0)
}
let (url, role) = (arguments[1], arguments[2])
let numbers = arguments[3...].compactMap { Int($0) }
let (first, count, total) = (numbers[0], numbers[1], numbers[2])

let bus = EventBus()
let topic = Topic<Int>("job:done")
var topics = FleetTopics()
topics.share(topic, .atLeastOnce)
var options = FleetOptions(name: role)
options.reconnectPause = .milliseconds(20)
options.timeout = .seconds(2)

let received = Received()
let watch = bus.watch(topic) { received.note($0.payload, of: count) }
let fleet = try Fleet.connect(bus, to: url, options: options, topics: topics)
for number in first..<(first + count) {
    // A full buffer refuses a trigger; a `send` waits for room.
    if number % 1000 == 0 || bus.trigger(topic, number).dropped > 0 { await bus.send(topic, number) }
}
try await fleet.flush()
print("stored")
fflush(nil)
let limit = ContinuousClock.now + .seconds(1200)
while received.count < total, ContinuousClock.now < limit { try await Task.sleep(for: .milliseconds(10)) }
// Time for events that arrive twice.
try await Task.sleep(for: .seconds(1))
print("received \(received.count) twice \(received.twice) swapped \(received.swapped)")
await fleet.close()
watch.cancel()

/// The numbers of the received events.
final class Received: Sendable {
    private struct State: Sendable {
        var seen: Set<Int> = []
        var last: [Int: Int] = [:]
        var repeated = 0
        var disordered = 0
    }

    private let state = Mutex(State())

    func note(_ number: Int, of count: Int) {
        state.withLock { state in
            if !state.seen.insert(number).inserted { state.repeated += 1 }
            let publisher = number / count
            if number < state.last[publisher] ?? -1 { state.disordered += 1 }
            state.last[publisher] = number
        }
    }

    var count: Int { state.withLock { $0.seen.count } }
    var twice: Int { state.withLock { $0.repeated } }
    var swapped: Int { state.withLock { $0.disordered } }
}

func shareLog(url: String, role: String, folder: String, count: Int) async {
    var configuration = LogConfiguration(folder: folder, sinks: [])
    configuration.retention = LogRetention(runs: 1000, bytes: 1 << 30)
    configuration.rotation = LogRotation(segmentBytes: 64 << 10, runBytes: 1 << 30)
    LogSystem.start(configuration)
    var options = FleetOptions(name: role)
    options.reconnectPause = .milliseconds(20)
    options.timeout = .seconds(2)
    options.logFolder = folder
    guard let fleet = try? Fleet.connect(EventBus(), to: url, options: options) else { return print("not connected") }
    let log = Log("work")
    print("started")
    fflush(nil)
    for number in 0..<count {
        log.info("\(role) \(number)\(number % 50 == 0 ? "\nwith another line" : "")", ["number": number])
        if number % 100 == 0 { try? await Task.sleep(for: .milliseconds(5)) }
    }
    await fleet.close()
}
