internal import AshlarCore
internal import AshlarNetworking
public import Foundation

/// A process of a fleet.
public struct FleetMember: Codable, Hashable, Sendable, Identifiable {
    /// The identity of the process in the fleet, which is new with each connection.
    public let id: String
    /// The role of the process; empty if it has none.
    public let role: String
    /// The name of the machine.
    public let host: String
    /// The number of the process on its machine.
    public let processID: Int32
    /// The time at which the process connected.
    public let joined: Date
}

/// Announces this process, and follows the announcements of the others.
///
/// A process announces itself every five seconds. A process is absent after it has said so,
/// or when nothing was heard from it for fifteen seconds by the local clock.
final class FleetPresence: Sendable {
    static let interval = Duration.seconds(5)
    static let limit = Duration.seconds(15)

    let members: Broadcast<[FleetMember]>
    private let bucket: KeyValueBucket
    private let known = Mutex<[String: (member: FleetMember, revision: Int, heard: ContinuousClock.Instant)]>([:])
    private let own: FleetMember
    private let watch = Mutex<KeyValueWatch?>(nil)
    private let loop = ConnectionLoop()

    init(_ bucket: KeyValueBucket, _ own: FleetMember) {
        self.bucket = bucket
        self.own = own
        members = Broadcast([])
        loop.start(
            bucket.connection, "this process can't be announced", every: Self.interval,
            tick: { [weak self] in self?.publish() }, run: { [weak self] in try await self?.announce() })
    }

    /// Begins to follow the other processes, unless that has begun.
    ///
    /// Each announcement goes to all that follow, so a process that doesn't ask for the others doesn't follow them.
    func follow() {
        watch.withLock { watch in
            if watch == nil { watch = KeyValueWatch(bucket) { [weak self] entries, _ in self?.receive(entries) } }
        }
    }

    /// Says that this process leaves.
    func leave() async {
        await loop.finish()
        _ = try? await bucket.put(nil, for: own.id)
    }

    private func announce() async throws {
        try await bucket.put(try JSONFormat().encode(own), for: own.id)
    }

    private func receive(_ entries: [KeyValueBucket.Entry]) {
        known.withLock { known in
            for entry in entries {
                guard let value = entry.value,
                    let member = try? JSONEntity(parsing: value).decode(FleetMember.self)
                else {
                    known[entry.key] = nil
                    continue
                }
                // After a new connection, an old announcement isn't a sign of life.
                if known[entry.key]?.revision != entry.revision {
                    known[entry.key] = (member, entry.revision, .now)
                }
            }
        }
        publish()
    }

    private func publish() {
        let present = known.withLock { known in
            known = known.filter { $0.value.heard.duration(to: .now) < Self.limit }
            return known.values.map(\.member).sorted { ($0.role, $0.id) < ($1.role, $1.id) }
        }
        members.update { $0 == present ? nil : present }
    }
}
