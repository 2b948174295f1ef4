import AshlarCustomization
import Foundation

/// A folder of files that is removed at the end of its test.
final class TemporaryTree {
    let path: String

    /// Writes the files and their folders.
    init(_ files: [String: String] = [:]) throws {
        path = NSTemporaryDirectory() + "ashlar-tooling-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for (name, text) in files { try write(text, to: name) }
    }

    func write(_ text: String, to name: String) throws {
        let url = URL(fileURLWithPath: path).appendingPathComponent(name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url, options: .atomic)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// The text of a file in the folder `Fixtures`.
func fixture(_ name: String) throws -> String {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/" + name)
    return try String(contentsOf: file, encoding: .utf8)
}

/// Whether the tests run with their full counts (`ASHLAR_SOAK=1`).
let soaks = ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1"

extension CustomizationMessage {
    /// The message as a value of a table.
    var value: CustomizationValue { .message(self) }
}

extension CustomizationValue {
    /// The message, if the value is one.
    var message: CustomizationMessage? {
        if case .message(let message) = self { message } else { nil }
    }
}
