import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarCore

@Suite struct PathChainTests {
    let folder: TemporaryFolder
    /// The folder's path without links.
    let root: String

    init() throws {
        folder = try TemporaryFolder([:])
        root = try #require(realpath(folder.path, nil).map { String(cString: $0) })
    }

    /// The entries below the folder as paths, with `*` for those that can be the file.
    private func entries(_ path: String) -> [String] {
        var entries: [String] = []
        PathChain.walk(path) { entry, isFile in
            guard entry.path.hasPrefix(root + "/") else { return }
            entries.append(entry.path.dropFirst(root.count + 1) + (isFile ? "*" : ""))
        }
        return entries
    }

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: root + "/" + name, withDestinationPath: target)
    }

    @Test("Every directory on the way has an entry, from the root on")
    func directories() throws {
        try FileManager.default.createDirectory(atPath: root + "/a/b", withIntermediateDirectories: true)
        var all: [PathChain.Entry] = []
        PathChain.walk(root + "/a/b/f") { entry, _ in all.append(entry) }
        #expect(all.first?.directory == "/")
        #expect(all.count == root.split(separator: "/").count + 3)
        #expect(entries(root + "/a/./b/../b/f") == ["a", "a/b", "a/b", "a/b/f*"])
    }

    @Test("The walk ends at the first missing entry")
    func missing() {
        #expect(entries(root + "/x/y/f") == ["x"])
        #expect(entries(root + "/f") == ["f*"])
    }

    @Test("A path that ends with a slash can be any entry of the directory")
    func directoryContents() throws {
        try FileManager.default.createDirectory(atPath: root + "/a/b", withIntermediateDirectories: true)
        try link("l", to: "a")
        #expect(entries(root + "/a/b/") == ["a", "a/b", "a/b/*"])
        #expect(entries(root + "/l/") == ["l", "a", "a/*"])
        #expect(entries(root + "/x/") == ["x"])
    }

    @Test("Each component of a link's target has an entry, and the target of a file is a file")
    func links() throws {
        try FileManager.default.createDirectory(atPath: root + "/v1/in", withIntermediateDirectories: true)
        try folder.write("", to: "v1/in/f", atomically: false)
        try link("data", to: "v1")
        try link("f", to: root + "/data/in/f")
        #expect(entries(root + "/f") == ["f*", "data", "v1", "v1/in", "v1/in/f*"])
        try link("v1/up", to: "../v1/in")
        #expect(entries(root + "/data/up/f") == ["data", "v1", "v1/up", "v1", "v1/in", "v1/in/f*"])
    }

    @Test("A loop of links ends")
    func loop() throws {
        try link("a", to: "b")
        try link("b", to: "a")
        #expect(entries(root + "/a/f").count < 100)
    }
}
