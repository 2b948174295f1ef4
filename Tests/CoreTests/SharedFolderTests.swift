import AshlarCore
import AshlarTestSupport
import Foundation
import Testing

@Suite(.enabled(if: OtherUser.isAvailable), .timeLimit(.minutes(5))) struct SharedFolderTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder([:]) }

    @Test(
        "What another user plants in the place of a file is neither read nor written",
        arguments: OtherUser.Plant.allCases)
    func planted(plant: OtherUser.Plant) throws {
        let path = folder.file("a")
        let victim = try OtherUser.plant(plant, at: path, content: "old")
        let names = folder.names
        #expect(throws: FileFailure.self) { try WholeFile.readOwn(path) }
        #expect(throws: FileFailure.self) { try AtomicFile.replace(path, with: Array("new".utf8)) }
        #expect(throws: FileFailure.self) { try AtomicFile.replaceAtOnce(path, with: Array("new".utf8)) }
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "old")
        #expect(folder.names == names)
    }

    @Test(
        "What another user plants at the names of temporary files changes nothing", arguments: OtherUser.Plant.allCases)
    func plantedTemporaries(plant: OtherUser.Plant) throws {
        let path = folder.file("a")
        let victim = try OtherUser.plant(plant, at: path + ".tmp", content: "old")
        try AtomicFile.replace(path, with: Array("new".utf8))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        #expect(FileStatus(path, followingLinks: false)?.isOwn == true)
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "old")
        // A lock of another user could be held forever.
        let other = try OtherUser.plant(plant, at: folder.file("b.lock"), content: "old")
        if plant != .hardLink || FileStatus(other)?.links != 1 {
            #expect(throws: FileFailure.self) { try AtomicFile.replace(folder.file("b"), with: Array("new".utf8)) }
        }
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "old")
    }

    @Test("A link of the user to a file of the user is followed, and a file for others can be a foreign one")
    func ownLinks() throws {
        let path = try folder.write("old", to: "a", atomically: false)
        let link = folder.file("link")
        #expect(symlink("a", link) == 0)
        try AtomicFile.replace(link, with: Array("new".utf8))
        #expect(try WholeFile.readOwn(link) == Array("new".utf8))
        #expect(chown(path, OtherUser.id, gid_t(OtherUser.id)) == 0)
        try AtomicFile.replace(path, with: Array("shared".utf8), permissions: 0o644, isOwn: false)
        #expect(try WholeFile.read(path) == Array("shared".utf8))
    }

    #if os(Linux) || os(macOS)
        @Test("New files are private whatever the umask, and temporary names can't be guessed")
        func modes() async {
            // In its own process, because the umask applies to the files of all tests.
            await #expect(processExitsWith: .success) {
                umask(0)
                let folder = try TemporaryFolder([:])
                let path = folder.file("a")
                var seen: Set<String> = []
                for number in 0..<8 {
                    try AtomicFile.replace(path) {
                        seen.formUnion(folder.names)
                        return [UInt8(number)]
                    }
                    var info = stat()
                    #expect(stat(path, &info) == 0 && info.st_mode & 0o777 == 0o600)
                }
                #expect(seen == ["a", "a.lock"], "the temporary file exists only while it is written")
            }
        }
    #endif

    @Test("The next writer removes what a killed one left, and nothing else")
    func leftOvers() throws {
        for name in ["a.lock", "a.0123456789abcdef.tmp", "a.tmp"] { try folder.write("half", to: name) }
        for name in ["b.0123456789abcdef.tmp", "a.x.0123456789abcdef.tmp", "ab.tmp", "a.txt"] {
            try folder.write("other", to: name)
        }
        try AtomicFile.replace(folder.file("a"), with: [1])
        #expect(folder.names == ["a", "a.txt", "a.x.0123456789abcdef.tmp", "ab.tmp", "b.0123456789abcdef.tmp"])
    }
}
