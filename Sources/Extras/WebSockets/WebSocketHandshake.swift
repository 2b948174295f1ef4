internal import AshlarCore
internal import AshlarNetworking

/// The upgrade of an HTTP/1.1 connection to a WebSocket (RFC 6455, section 4).
struct WebSocketHandshake: ConnectionUpgrade {
    let key: String
    let options: WebSocketOptions

    init(_ options: WebSocketOptions) {
        self.options = options
        key = Base64.encode((0..<16).map { _ in UInt8.random(in: 0...255) })
    }

    /// The fields of the request.
    var fields: [HTTPField] {
        var fields = [
            HTTPField("Connection", "Upgrade"), HTTPField("Upgrade", "websocket"),
            HTTPField("Sec-WebSocket-Version", "13"), HTTPField("Sec-WebSocket-Key", key),
        ]
        if !options.protocols.isEmpty {
            fields.append(HTTPField("Sec-WebSocket-Protocol", options.protocols.joined(separator: ", ")))
        }
        if let compression { fields.append(HTTPField("Sec-WebSocket-Extensions", compression.offer)) }
        return fields
    }

    /// The offered compression, or nil.
    private var compression: WebSocketCompression? {
        #if os(Linux)
            MessageDeflater.isAvailable ? options.compression : nil
        #else
            nil
        #endif
    }

    /// The value of `Sec-WebSocket-Accept` that belongs to a key.
    static func accept(_ key: String) -> String {
        Base64.encode(SHA1.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }

    /// Checks a response with status 101.
    ///
    /// - Returns: The selected protocol, or nil.
    /// - Throws: `.badResponse` for a response that doesn't belong to the request.
    func check(_ head: ResponseHead) throws(NetworkError) -> String? {
        guard head.headers.list(for: "Upgrade").contains(where: { $0.equalsIgnoringASCIICase("websocket") }),
            head.headers.list(for: "Connection").contains(where: { $0.equalsIgnoringASCIICase("upgrade") })
        else { throw bad("the server doesn't upgrade to a WebSocket") }
        guard head.headers.list(for: "Sec-WebSocket-Accept") == [Self.accept(key)] else {
            throw bad("Sec-WebSocket-Accept doesn't belong to the request")
        }
        _ = try agreement(head)
        return try selectedProtocol(head)
    }

    /// Returns the compression on which both sides agree, or nil.
    ///
    /// - Throws: `.badResponse` for extensions that weren't offered.
    func agreement(_ head: ResponseHead) throws(NetworkError) -> WebSocketAgreement? {
        let extensions = head.headers.list(for: "Sec-WebSocket-Extensions")
        guard let first = extensions.first else { return nil }
        guard extensions.count == 1, let agreement = compression?.agreement(first) else {
            throw bad("the server uses an extension that wasn't offered")
        }
        return agreement
    }

    /// Returns the protocol that a server selects, or nil.
    ///
    /// - Throws: `.badResponse` for one that wasn't offered.
    func selectedProtocol(_ head: ResponseHead) throws(NetworkError) -> String? {
        let selected = head.headers.list(for: "Sec-WebSocket-Protocol")
        guard selected.count <= 1, selected.allSatisfy(options.protocols.contains) else {
            throw bad("the server selects a protocol that wasn't offered")
        }
        return selected.first
    }

    private func bad(_ message: String) -> NetworkError { NetworkError(.badResponse, message, phase: .receive) }
}

/// The settings of a WebSocket.
public struct WebSocketOptions: Hashable, Sendable {
    /// The protocols to offer, in order of preference; none by default.
    public var protocols: [String] = []
    /// The maximum length of a received message in bytes; 1 MiB by default.
    public var messageBytes: Int = 1 << 20
    /// The compression to offer; nil for none.
    ///
    /// On Apple systems, the session decides.
    public var compression: WebSocketCompression? = .standard
    /// The interval after which a silent connection is probed with a ping; 20 s by default, nil for never.
    ///
    /// If another interval passes without any byte, the connection is lost.
    public var pingInterval: Duration? = .seconds(20)
    /// The time that closing waits for the server; 5 s by default.
    public var closeTimeout: Duration = .seconds(5)

    /// Creates the default options.
    public init() {}

    /// Checks the values.
    ///
    /// - Throws: `.invalidConfiguration` with the name of the option.
    func validate() throws(NetworkError) {
        var names: Set<String> = []
        for name in protocols where !HTTPSyntax.isToken(name) || !names.insert(name).inserted {
            throw Self.invalid("protocols", "\(name.debugDescription) isn't a token or is there twice")
        }
        if messageBytes < 0 { throw Self.invalid("messageBytes", "expected at least 0") }
        if let pingInterval, pingInterval <= .zero { throw Self.invalid("pingInterval", "expected more than 0 s") }
    }

    private static func invalid(_ option: String, _ message: String) -> NetworkError {
        NetworkError(.invalidConfiguration, "invalid \(option): \(message)", phase: .prepare, key: option)
    }
}

/// The hash SHA-1 (FIPS 180-4), 20 bytes long, which the handshake requires.
enum SHA1: BlockHash {
    static let scheduleCount = 80
    static let initialState: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]

    static func update(_ state: inout [UInt32], _ w: inout [UInt32]) {
        for i in 16..<80 { w[i] = (w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16]).rotatedLeft(1) }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for i in 0..<80 {
            let (mixed, constant): (UInt32, UInt32) =
                switch i / 20 {
                case 0: (b & c | ~b & d, 0x5A82_7999)
                case 1: (b ^ c ^ d, 0x6ED9_EBA1)
                case 2: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let sum = a.rotatedLeft(5) &+ mixed &+ e &+ constant &+ w[i]
            (a, b, c, d, e) = (sum, a, b.rotatedLeft(30), c, d)
        }
        for (i, word) in [a, b, c, d, e].enumerated() { state[i] &+= word }
    }
}
