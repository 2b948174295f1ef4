import AshlarNetworking
import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation

/// A server of `Scripts`; ends with this object.
final class WebSocketPeer: @unchecked Sendable {  // made on one thread, then only its port is read and it is released
    let port: Int
    private let process = Process()
    private let input = Pipe()

    /// Whether the server can be started; prints the reason if not.
    static func isThere() async -> Bool {
        do {
            _ = try await offPool { try WebSocketPeer() }
            return true
        } catch {
            print("PyPI's websockets can't be had: \(error)")
            return false
        }
    }

    /// Starts `Scripts/websocket-server`, with TLS if there is a certificate.
    convenience init(certificate: String? = nil) throws {
        try self.init(script: "websocket-server", certificate.map { [$0] } ?? [])
    }

    /// Starts a script that prints its port.
    init(script: String, _ arguments: [String]) throws {
        let (output, errors) = (Pipe(), Pipe())
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        process.executableURL = root.appendingPathComponent("Scripts/\(script)")
        process.arguments = arguments
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
        try process.run()
        guard let port = Int(output.readLine()) else {
            let text = errors.readText()
            throw ServerFailure(what: text.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        self.port = port
    }

    deinit { kill(process.processIdentifier, SIGKILL) }
}
