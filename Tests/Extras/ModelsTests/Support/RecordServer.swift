import AshlarModels
import AshlarNetworking
import AshlarTestSupport
import Foundation

/// A server of records behind a stub transport: `/notes` and `/notes/id`, with versions and idempotency keys.
final class RecordServer: Sendable {
    /// A response of the server that replaces or loses its answer.
    enum Fault: Sendable {
        /// The server receives nothing.
        case offline
        /// The server processes the request, and the answer is lost.
        case lostAnswer
        /// The server answers with a status and doesn't process the request.
        case status(Int)
    }

    struct Record: Sendable {
        var attributes: [String: JSONEntity]
        var version: Int
        /// Whether another device has changed the record since the client read it.
        var isUnseen = false
    }

    struct State: Sendable {
        var records: [Int: Record] = [:]
        var lastID = 0
        var lastVersion = 0
        var answers: [String: StubResponse] = [:]
        /// The requests as text.
        var log: [String] = []
        var keys: [String] = []
        /// The requests that changed a record.
        var effects = 0
        /// The records of other devices that were replaced without being read.
        var overwritten = 0
    }

    let state = Locked(State())
    let fault = Locked<@Sendable (NetworkRequest) -> Fault?>({ _ in nil })
    /// Whether the answers and lists have no versions.
    let hasVersions: Bool
    /// Whether repeated updates and deletions are recognized, too.
    let knowsAllKeys: Bool

    init(hasVersions: Bool = true, knowsAllKeys: Bool = true) {
        (self.hasVersions, self.knowsAllKeys) = (hasVersions, knowsAllKeys)
    }

    var sync: RESTSync {
        RESTSync(
            NetworkClient(
                transport: StubTransport { [self] request throws(NetworkError) in
                    let fault = self.fault.withLock { $0 }(request)
                    switch fault {
                    case .offline: throw NetworkError(.cannotConnect, "offline", phase: .connect)
                    case .status(let status):
                        note(request)
                        return .status(status)
                    case .lostAnswer:
                        _ = answer(request)
                        throw NetworkError(.connectionLost, "lost", phase: .wait)
                    case nil: return answer(request)
                    }
                }))
    }

    func go(_ fault: Fault?) { self.fault.withLock { $0 = { _ in fault } } }

    func takeLog() -> [String] {
        state.withLock { state in
            defer { state.log = [] }
            return state.log
        }
    }

    /// The records by identifier, as text.
    var texts: [Int: String] { state.withLock { $0.records.mapValues { JSONEntity(object: $0.attributes).text() } } }

    /// Changes a record as another device does.
    func change(_ id: Int, _ attributes: [String: JSONEntity]) {
        state.withLock { state in
            state.lastVersion += 1
            state.lastID = max(state.lastID, id)
            let old = state.records[id]?.attributes ?? ["id": JSONEntity(id)]
            state.records[id] = Record(
                attributes: old.merging(attributes) { $1 }, version: state.lastVersion, isUnseen: true)
        }
    }

    func delete(_ id: Int) { state.withLock { $0.records[id] = nil } }

    private func note(_ request: NetworkRequest) {
        let body = request.body.inMemory.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let match = request.headers["If-Match"].map { " if \($0)" } ?? ""
        let line = "\(request.method) \(request.url.path)\(match)\(body.isEmpty ? "" : " " + body)"
        state.withLock { state in
            state.log.append(line)
            if let key = request.headers["Idempotency-Key"] { state.keys.append(key) }
        }
    }

    private func answer(_ request: NetworkRequest) -> StubResponse {
        note(request)
        let key = request.headers["Idempotency-Key"]
        return state.withLock { state in
            if let key, let known = state.answers[key], knowsAllKeys || request.method == .post { return known }
            let answer = process(request, &state)
            if let key, (200...299).contains(answer.head.status) { state.answers[key] = answer }
            return answer
        }
    }

    private func process(_ request: NetworkRequest, _ state: inout State) -> StubResponse {
        let parts = request.url.path.split(separator: "/").map(String.init)
        let body = (try? JSONEntity(parsing: request.body.inMemory ?? []))?.dictionary([:]) ?? [:]
        if parts.count == 1 {
            if request.method == .get {
                let list = state.records.sorted { $0.key < $1.key }.map { JSONEntity(object: $0.value.attributes) }
                for id in state.records.keys { state.records[id]?.isUnseen = false }
                return .json(JSONEntity(array: list).text())
            }
            state.lastID += 1
            return write(state.lastID, body, 201, &state)
        }
        guard let id = Int(parts[1]), let record = state.records[id] else { return .status(404) }
        if request.method == .get {
            state.records[id]?.isUnseen = false
            return respond(record, 200)
        }
        if let match = request.headers["If-Match"], match != "\"\(record.version)\"" { return .status(412) }
        if record.isUnseen { state.overwritten += 1 }
        if request.method == .delete {
            state.records[id] = nil
            state.effects += 1
            return .status(204)
        }
        return write(id, body, 200, &state)
    }

    private func write(_ id: Int, _ body: [String: JSONEntity], _ status: Int, _ state: inout State) -> StubResponse {
        state.lastVersion += 1
        state.effects += 1
        let record = Record(
            attributes: body.merging(["id": JSONEntity(id)]) { $1 }, version: state.lastVersion)
        state.records[id] = record
        return respond(record, status)
    }

    private func respond(_ record: Record, _ status: Int) -> StubResponse {
        var answer = StubResponse.json(JSONEntity(object: record.attributes).text(), status: status)
        if hasVersions { answer.head.headers["ETag"] = "\"\(record.version)\"" }
        return answer
    }
}
