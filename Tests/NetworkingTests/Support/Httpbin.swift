import AshlarTestSupport
import Foundation

/// The httpbin that `Scripts/httpbin-server` starts, once for all tests; or the one that ASHLAR_HTTPBIN_URL names.
///
/// The script ends with its standard input, which this process holds open until it exits.
final class Httpbin: Sendable {
    static let shared = Task {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: Httpbin()) }
        }
    }

    /// The server's address, or nil with the reason that there is none.
    let url: String?
    let reason: String

    private init() {
        if let given = ProcessInfo.processInfo.environment["ASHLAR_HTTPBIN_URL"], !given.isEmpty {
            (url, reason) = (given, "")
            return
        }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let process = Process()
        process.executableURL = root.appendingPathComponent("Scripts/httpbin-server")
        let (input, output, errors) = (Pipe(), Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
        do { try process.run() } catch {
            (url, reason) = (nil, "\(error)")
            return
        }
        Self.lifeline.withLock { $0 = input }
        if let port = Int(output.readLine()) {
            (url, reason) = ("http://127.0.0.1:\(port)", "")
        } else {
            let text = errors.readText()
            (url, reason) = (nil, text.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    /// Whether there is a server, and prints the reason if not.
    ///
    /// Used by the tests' condition, so that a run without these tests starts nothing.
    static func isThere() async -> Bool {
        let httpbin = await shared.value
        if httpbin.url == nil { print("httpbin can't be had: \(httpbin.reason)") }
        return httpbin.url != nil
    }

    private static let lifeline = Mutex<Pipe?>(nil)
}
