internal import AshlarCore

/// A user name and password that answer digest challenges, and the latest challenge of each origin.
final class DigestCredentials: Sendable {
    private struct Session {
        let challenge: DigestChallenge
        let clientNonce: String
        var count: UInt32 = 0
    }

    /// The number of origins at which all challenges are removed, so that a crawler needs no unbounded memory.
    private static let manyOrigins = 1000

    /// What identifies the user in the cache.
    var identity: String { "\(credentials.user):\(credentials.password)" }

    private let credentials: BasicCredentials
    private let makeClientNonce: @Sendable () -> String
    private let sessions = Mutex<[String: Session]>([:])

    init(_ credentials: BasicCredentials, clientNonce: @escaping @Sendable () -> String = randomNonce) {
        self.credentials = credentials
        makeClientNonce = clientNonce
    }

    /// Sends a request, answering a known challenge of its origin, and again after a new challenge.
    func send(_ request: NetworkRequest, _ next: NetworkNext) async throws(NetworkError) -> StreamedResponse {
        // The nonce of the latest hop; each hop is answered by itself because it has its own target and count.
        let used = Mutex<String?>(nil)
        var request = request
        request.authorizes = { [self] hop throws(NetworkError) in
            let answer = try await answer(hop)
            used.withLock { $0 = answer?.nonce }
            if let answer { hop.headers.set("Authorization", answer.field, isSensitive: true) }
        }
        var adopted: String?
        // A nonce can expire between two requests, so a second challenge is answered only if it reports this.
        for _ in 0..<2 {
            let response = try await next(request)
            let origin = response.url.origin
            guard response.status == 401, response.isFromSameServer else {
                renew(response, origin)
                return response
            }
            let known = AuthenticationChallenge.parse(response.headers).lazy.compactMap { DigestChallenge($0) }.first
            guard let challenge = known else { return response }
            let isRejected = adopted != nil && adopted == used.withLock { $0 } && !challenge.isStale
            guard !isRejected else {
                sessions.withLock { $0[origin] = nil }
                return response
            }
            adopt(challenge, origin)
            adopted = challenge.nonce
            guard request.body.isReplayable else { return response }
            await response.body.discard(upTo: 64 << 10)
        }
        return try await next(request)
    }

    /// Returns the `Authorization` field of a hop and its nonce, or nil if no challenge of the origin is known.
    ///
    /// - Throws: The failure to read a body that the response protects.
    private func answer(_ hop: NetworkRequest) async throws(NetworkError) -> (field: String, nonce: String)? {
        let session = sessions.withLock { sessions in
            sessions[hop.url.origin]?.count += 1
            return sessions[hop.url.origin]
        }
        guard let session else { return nil }
        let body = session.challenge.quality == .integrity ? try await Self.content(of: hop) : []
        let field = session.challenge.answer(
            credentials, method: hop.method.rawValue, target: hop.url.target, body: body, count: session.count,
            clientNonce: session.clientNonce)
        return (field, session.challenge.nonce)
    }

    private static func content(of hop: NetworkRequest) async throws(NetworkError) -> [UInt8] {
        guard hop.body.isReplayable || hop.body.inMemory != nil else {
            throw NetworkError(
                .bodyNotReplayable, "qop=auth-int protects the body, which can be read only once", phase: .prepare)
        }
        return try await hop.body.collected()
    }

    private func adopt(_ challenge: DigestChallenge, _ origin: String) {
        let session = Session(challenge: challenge, clientNonce: makeClientNonce())
        sessions.withLock { sessions in
            // Of concurrent requests with one nonce, only the first stores the challenge, so that no count is used
            // twice.
            guard sessions[origin]?.challenge.nonce != challenge.nonce else { return }
            if sessions.count >= Self.manyOrigins { sessions.removeAll(keepingCapacity: true) }
            sessions[origin] = session
        }
    }

    /// Stores the next nonce that a response announces.
    private func renew(_ response: StreamedResponse, _ origin: String) {
        guard let info = response.headers["Authentication-Info"],
            let nonce = AuthenticationChallenge.parameters(info)["nextnonce"],
            var challenge = sessions.withLock({ $0[origin]?.challenge }), response.isFromSameServer
        else { return }
        challenge.nonce = nonce
        adopt(challenge, origin)
    }

    private static func randomNonce() -> String {
        (0..<16).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
    }
}
