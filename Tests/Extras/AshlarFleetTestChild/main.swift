import AshlarEventBus
import AshlarFleet
import Foundation

// A process of a fleet for tests: publishes stored events, and reports what it has received as lines of text.
//
//     AshlarFleetTestChild URL ROLE FIRST COUNT TOTAL
//
// It triggers COUNT events with numbers from FIRST, waits until TOTAL events have been received, and prints how many it
// received, how many of them twice, and how many out of the order of their publisher.

let arguments = CommandLine.arguments
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
final class Received: @unchecked Sendable {
    // The handlers of a topic run one after the other; the lock is for the reader.
    private let lock = NSLock()
    private var seen: Set<Int> = []
    private var last: [Int: Int] = [:]
    private var repeated = 0
    private var disordered = 0

    func note(_ number: Int, of count: Int) {
        lock.withLock {
            if !seen.insert(number).inserted { repeated += 1 }
            let publisher = number / count
            if number < last[publisher] ?? -1 { disordered += 1 }
            last[publisher] = number
        }
    }

    var count: Int { lock.withLock { seen.count } }
    var twice: Int { lock.withLock { repeated } }
    var swapped: Int { lock.withLock { disordered } }
}
