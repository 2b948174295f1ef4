import AshlarCore
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarFleet

@Suite(
    "Streams that several processes create",
    .enabled(
        if: NatsServer.isAvailable, "nats-server and libnats3.4 are not installed"), .timeLimit(.minutes(3)))
struct StreamTests {
    /// A connection whose requests to JetStream another one answers, from a list of responses for each subject.
    private struct Scripted: Sendable {
        let connection: NatsConnection
        let requests = Recorder<String>()
        private let responder: NatsConnection
        private let subscriptions: [NatsSubscription]

        init(_ server: NatsServer, _ responses: [(subject: String, body: String)]) async throws {
            (connection, responder) = (
                try NatsConnection(server.url, FleetOptions()), try NatsConnection(server.url, FleetOptions())
            )
            let (requests, responder) = (requests, responder)
            let rest = Locked(responses[...])
            let answers = try responder.subscribe(to: "$JS.API.>") { message in
                let name = String(message.subject.dropFirst("$JS.API.".count))
                requests.note(name)
                let next = rest.withLock { $0.popFirst() }
                let body = next?.subject == name ? next?.body ?? "" : #"{"error": {"description": "out of order"}}"#
                try? responder.publish(NatsMessage(subject: message.reply ?? "", payload: Array(body.utf8)))
            }
            // When the server has this subscription, it has the other one.
            let isReady = try responder.subscribe(to: "ready") { message in
                try? responder.publish(NatsMessage(subject: message.reply ?? "", payload: []))
            }
            subscriptions = [answers, isReady]
            let question = NatsMessage(subject: "ready", payload: [])
            try await until { [connection] in
                (try? await connection.request(question, within: .seconds(10))) != nil
            }
        }
    }

    private static let missing = #"{"error": {"err_code": 10059, "description": "stream not found"}}"#
    private static let overlap = #"{"error": {"err_code": 10065, "description": "subjects overlap"}}"#
    private static let inUse = #"{"error": {"err_code": 10058, "description": "stream name already in use"}}"#
    private static let existing = #"{"config": {"subjects": ["a.>"], "allow_direct": true}}"#

    @Test("A stream that another process creates at the same moment is used, whatever the server reports")
    func sameMoment() async throws {
        for refusal in [Self.overlap, Self.inUse] {
            let server = try await NatsServer(hasJetStream: false)
            let scripted = try await Scripted(
                server,
                [("STREAM.INFO.s", Self.missing), ("STREAM.CREATE.s", refusal), ("STREAM.INFO.s", Self.existing)])
            try await scripted.connection.createStream("s", subjects: ["a.>"], age: nil)
            #expect(scripted.requests.items == ["STREAM.INFO.s", "STREAM.CREATE.s", "STREAM.INFO.s"])
        }
    }

    @Test("Subjects that belong to another stream are an error")
    func otherStream() async throws {
        let server = try await NatsServer()
        let connection = try NatsConnection(server.url, FleetOptions())
        try await until { connection.state.current.isConnected }
        try await connection.createStream("first", subjects: ["a.>"], age: nil)
        let error = await #expect(throws: FleetError.self) {
            try await connection.createStream("second", subjects: ["a.b"], age: nil)
        }
        #expect(error?.code == .rejected && error?.reason.contains("overlap") == true, "\(String(describing: error))")
    }

    @Test("Streams that four connections create at once exist once")
    func atOnce() async throws {
        let server = try await NatsServer()
        let connections = try (0..<4).map { _ in try NatsConnection(server.url, FleetOptions()) }
        for connection in connections { try await until { connection.state.current.isConnected } }
        for round in 0..<(isSoak ? 1000 : 50) {
            try await withThrowingTaskGroup { group in
                for connection in connections {
                    group.addTask {
                        try await connection.createStream("s\(round)", subjects: ["s\(round).>"], age: nil)
                    }
                }
                try await group.waitForAll()
            }
        }
        let count = try await connections[0].call("STREAM.NAMES")["total"].int(0)
        #expect(count == (isSoak ? 1000 : 50))
    }
}
