import AshlarCustomization
import Foundation

/// A folder of files that is removed at the end of its test.
final class TemporaryTree {
    let path: String

    /// Writes files and their folders.
    init(_ files: [String: String] = [:]) throws {
        path = NSTemporaryDirectory() + "ashlar-customization-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for (name, text) in files { try write(text, to: name) }
    }

    func write(_ text: String, to name: String) throws { try write(Data(text.utf8), to: name) }

    /// Writes a file by replacing it, as editors do, so that its signature changes even within a clock tick.
    func write(_ data: Data, to name: String) throws {
        let url = URL(fileURLWithPath: path).appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url, options: .atomic)
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path + "/" + name) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// An Info.plist with FTCustomization's entry.
func infoPlist(brand: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
        <key>CFBundleIdentifier</key>
        <string>com.example.app</string>
        <key>FTCustomizationString</key>
        <string>\(brand)</string>
    </dict>
    </plist>
    """
}
