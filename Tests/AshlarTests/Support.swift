import Foundation
import Testing

/// Names in order of arrival.
final class EventNames: @unchecked Sendable {  // guarded by `lock`
    private let lock = NSLock()
    private var names: [String] = []
    var list: [String] { lock.withLock { names } }
    func append(_ name: String) { lock.withLock { names.append(name) } }
}

/// A folder that is removed with its owner.
final class AppFolder: Sendable {
    let path: String

    init(_ files: [String: String] = [:]) throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("app-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for (name, text) in files { try write(text, to: name) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, to name: String) throws {
        let file = URL(fileURLWithPath: "\(path)/\(name)")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    static let hostMap = """
        {"configurations": [{"canonical_host": "api.example", "canonical_protocol": "https", "release_key": "PROD",
          "prerelease_key": "QA", "hosts": [{"key": "PROD", "host": "www.example"}, {"key": "QA", "host": "qa.example"},
          {"key": "DEV", "host": "dev.example"}]}]}
        """
}
