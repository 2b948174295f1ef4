public import Foundation

/// A folder that is removed with its last reference.
public final class TemporaryFolder: Sendable {
    /// The path of the folder.
    public let path: String

    /// Chooses a new path, at which there is nothing before ``make()``.
    public init(in parent: String = NSTemporaryDirectory()) {
        path = (parent.hasSuffix("/") ? parent : parent + "/") + "ashlar-test-" + UUID().uuidString
    }

    /// Creates a folder with files, whose names can contain folders.
    public convenience init(_ files: [String: String]) throws {
        self.init()
        try make()
        for (name, text) in files { try write(text, to: name) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The names in the folder, sorted.
    public var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }

    /// Creates the folder.
    public func make() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// Returns the path of a name in the folder.
    public func file(_ name: String) -> String { path + "/" + name }

    /// Writes a file and its folders; returns its path.
    @discardableResult
    public func write(_ text: String, to name: String, atomically: Bool = true) throws -> String {
        try write(Data(text.utf8), to: name, atomically: atomically)
    }

    /// Writes a file and its folders; returns its path.
    ///
    /// - Parameters:
    ///   - data: The content.
    ///   - name: The name.
    ///   - atomically: Whether the file is replaced, as editors do, so that its signature changes even within a clock
    ///     tick; otherwise it is written in place.
    /// - Returns: The path of the file.
    /// - Throws: The error of the file system.
    @discardableResult
    public func write(_ data: Data, to name: String, atomically: Bool = true) throws -> String {
        let url = URL(fileURLWithPath: file(name))
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url, options: atomically ? .atomic : [])
        return file(name)
    }

    /// Removes a file.
    public func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: file(name)) }
}
