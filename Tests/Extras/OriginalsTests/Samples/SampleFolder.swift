import Foundation

/// A temporary folder with the files of a sample.
final class SampleFolder: Sendable {
    let path = NSTemporaryDirectory() + "/ashlar-sample-" + UUID().uuidString

    init(_ files: [String: String] = [:]) throws {
        for (name, text) in files {
            let file = URL(fileURLWithPath: path + "/" + name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }
    func text(_ name: String) -> String? { try? String(contentsOfFile: file(name), encoding: .utf8) }
}

/// Returns an XML property list with a dictionary.
func propertyList(_ entries: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>\(entries)</dict></plist>
    """
}
