import AshlarCore
import AshlarEventBus
import AshlarFleet
import Foundation

// A process of a fleet for tests: publishes stored events, and reports what it has received as lines of text.
//
//     AshlarFleetTestChild URL ROLE FIRST COUNT TOTAL
//
// It triggers COUNT events with numbers from FIRST, waits until TOTAL events have been received, and prints how many it
// received, how many of them twice, and how many out of the order of their publisher.
//
//     AshlarFleetTestChild hold URL ROLE
//
// It prints the number of the first saved note that it receives, and handles it for ever.
//
//     AshlarFleetTestChild take URL ROLE COUNT
//
// It handles COUNT saved notes, closes the fleet, and prints their numbers in one line.
//
//     AshlarFleetTestChild leave URL NUMBER
//
// It connects, closes the fleet after NUMBER milliseconds, and ends.
//
//     AshlarFleetTestChild requests URL COUNT
//
// It sends COUNT requests to itself, and prints how many bytes of memory each has left two seconds later.

let arguments = CommandLine.arguments
switch arguments[1] {
case "hold":
    try await hold(url: arguments[2], role: arguments[3])
case "take":
    let taken = try await take(Int(arguments[4]) ?? 0, url: arguments[2], role: arguments[3])
    print(taken.map(String.init).joined(separator: " "))
    exit(0)
case "leave":
    try await leave(url: arguments[2], after: .milliseconds(Int(arguments[3]) ?? 0))
    exit(0)
case "requests":
    print(try await bytesOfRequests(url: arguments[2], count: Int(arguments[3]) ?? 0))
    exit(0)
default: break
}
let (url, role) = (arguments[1], arguments[2])
let numbers = arguments[3...].compactMap { Int($0) }
let (first, count, total) = (numbers[0], numbers[1], numbers[2])

let bus = EventBus()
let topic = Topic<Int>("job:done")
var topics = FleetTopics()
topics.share(topic, .atLeastOnce(prefetch: 256))
var options = FleetOptions()
options.reconnectPause = .milliseconds(20)
options.timeout = .seconds(2)

let received = Received()
let watch = bus.watch(topic) { received.note($0.payload, of: count) }
let fleet = try await Fleet.connect(bus, to: url, role: role, options: options, topics: topics)
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

struct HeldNote: Codable, Sendable {
    var id: Int
}

func hold(url: String, role: String) async throws -> Never {
    let topic = Topic<HeldNote>("note:saved")
    let bus = EventBus()
    var topics = FleetTopics()
    topics.share(topic, .atLeastOnce)
    let watch = bus.watch(topic, buffer: .unbounded) { signal in
        print("holds \(signal.payload.id)")
        fflush(nil)
        while true { try await Task.sleep(for: .seconds(1)) }
    }
    let fleet = try await Fleet.connect(bus, to: url, role: role, topics: topics)
    while watch.isLive { try await Task.sleep(for: .seconds(1)) }
    await fleet.close()
    exit(0)
}

func take(_ count: Int, url: String, role: String) async throws -> [Int] {
    let topic = Topic<HeldNote>("note:saved")
    let bus = EventBus()
    var topics = FleetTopics()
    topics.share(topic, .atLeastOnce)
    let (taken, end) = AsyncStream<Int>.makeStream()
    let state = Mutex<(left: Int, watch: Watch?)>((count, nil))
    let watch = bus.watch(topic, buffer: .unbounded) { signal in
        end.yield(signal.payload.id)
        let last = state.withLock { state in
            state.left -= 1
            return state.left == 0 ? state.watch : nil
        }
        // Inside the handler, so that none runs for the next event.
        last?.cancel()
        if last != nil { end.finish() }
    }
    state.withLock { $0.watch = watch }
    let fleet = try await Fleet.connect(bus, to: url, role: role, topics: topics)
    var numbers: [Int] = []
    for await number in taken { numbers.append(number) }
    await fleet.close()
    return numbers
}

func leave(url: String, after pause: Duration) async throws {
    var options = FleetOptions()
    options.reconnectPause = .milliseconds(1)
    options.timeout = .milliseconds(500)
    options.tls = FleetTLS()
    let connecting = Task { [options] in try await Fleet.connect(EventBus(), to: url, options: options) }
    try await Task.sleep(for: pause)
    connecting.cancel()
    await (try connecting.value).close()
    print("closed")
    fflush(nil)
}

func bytesOfRequests(url: String, count: Int) async throws -> Int {
    let length = RequestTopic<String, Int>("text:length")
    var topics = FleetTopics()
    topics.share(length)
    let (near, far) = (EventBus(), EventBus())
    let fleets = [
        try await Fleet.connect(near, to: url, topics: topics), try await Fleet.connect(far, to: url, topics: topics),
    ]
    let watch = try far.respond(to: length) { $0.count }
    func run(_ count: Int) async throws {
        for _ in 0..<count { _ = try await near.request(length, "text", within: .seconds(60)) }
        try await Task.sleep(for: .seconds(2))
    }
    while (try? await near.request(length, "")) == nil { try await Task.sleep(for: .milliseconds(10)) }
    try await run(count)
    let before = try residentBytes()
    try await run(count)
    let after = try residentBytes()
    watch.cancel()
    for fleet in fleets { await fleet.close() }
    return (after - before) / count
}

func residentBytes() throws -> Int {
    let words = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return (Int(words[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
}
