internal import AshlarCore

/// The compression that a WebSocket offers to the server: `permessage-deflate` (RFC 7692).
///
/// The server may refuse it; then messages are sent as they are. Compressed messages reveal something about their content by
/// their length, so don't compress messages that contain both secrets and texts of strangers.
public struct WebSocketCompression: Hashable, Sendable {
    /// The length in bytes from which messages are compressed; 128 by default.
    public var minimumBytes: Int = 128
    /// Whether a message that is sent may refer to those before, which needs 32 KiB between messages; true by default.
    public var clientContextTakeover: Bool = true
    /// Whether a message that is received may refer to those before, which needs 40 KiB between messages; true by default.
    public var serverContextTakeover: Bool = true

    /// The default compression.
    public static let standard: WebSocketCompression = WebSocketCompression()

    /// Creates the default compression.
    public init() {}

    /// The value of `Sec-WebSocket-Extensions`.
    var offer: String {
        var parts = ["permessage-deflate", "client_max_window_bits"]
        if !clientContextTakeover { parts.append("client_no_context_takeover") }
        if !serverContextTakeover { parts.append("server_no_context_takeover") }
        return parts.joined(separator: "; ")
    }

    /// Reads what the server has agreed to.
    ///
    /// - Returns: The agreement, or nil for a response that doesn't belong to the offer.
    func agreement(_ answer: String) -> WebSocketAgreement? {
        let parts = answer.split(separator: ";", omittingEmptySubsequences: false)
            .map { String($0).trimmingHTTPSpace() }
        guard parts.first?.equalsIgnoringASCIICase("permessage-deflate") == true else { return nil }
        var agreement = WebSocketAgreement(minimumBytes: minimumBytes)
        agreement.clientContextTakeover = clientContextTakeover
        var names: Set<String> = []
        for part in parts.dropFirst() {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(sides[0]).trimmingHTTPSpace().lowercased()
            let value = sides.count > 1 ? String(sides[1]).trimmingHTTPSpace() : nil
            guard names.insert(name).inserted else { return nil }
            switch (name, value) {
            case ("client_no_context_takeover", nil): agreement.clientContextTakeover = false
            case ("server_no_context_takeover", nil): agreement.serverContextTakeover = false
            case ("client_max_window_bits", let value?):
                guard let bits = Self.windowBits(value) else { return nil }
                agreement.clientWindowBits = bits
            case ("server_max_window_bits", let value?):
                guard Self.windowBits(value) != nil else { return nil }
            default: return nil
            }
        }
        if !serverContextTakeover, agreement.serverContextTakeover { return nil }
        return agreement
    }

    private static func windowBits(_ text: String) -> Int? {
        let isQuoted = text.count > 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
        let digits = isQuoted ? String(text.dropFirst().dropLast()) : text
        return (8...15).first { String($0) == digits }
    }
}

/// The compression on which both sides of a WebSocket agree.
struct WebSocketAgreement: Hashable, Sendable {
    var minimumBytes = 0
    var clientContextTakeover = true
    var serverContextTakeover = true
    /// The exponent of the window that the server has for messages of the client.
    var clientWindowBits = 15
}
