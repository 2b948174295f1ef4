import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarLogging

@Suite struct FileSinkTests {
    private func contents(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

    @Test("Lines are appended immediately, in the sink's own format")
    func appends() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/errors.log"
        try Data("before\n".utf8).write(to: URL(fileURLWithPath: path))
        let sink = FileSink(path: path, format: .logfmt, threshold: .error)
        let system = TestSystem { $0.sinks = [sink] }
        system.log().info("no")
        system.log().error("a b", ["k": 1])
        let lines = try #require(contents(path)).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0] == "before")
        #expect(lines[1].hasSuffix(" level=ERROR context=A msg=\"a b\" k=1"))
    }

    @Test("A file that was moved or deleted is created again for its owner only")
    func moved() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/a.log"
        let sink = FileSink(path: path, format: .myLogger)
        let system = TestSystem { $0.sinks = [sink] }
        for index in 1...10 { system.log().info("line \(index)") }
        try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
        for index in 11...300 { system.log().info("line \(index)") }
        let all = try #require(contents(path + ".old")) + #require(contents(path))
        #expect(all == (1...300).map { "[INFO] A - line \($0)\n" }.joined())
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test("A descriptor that the app reused is neither written to nor closed")
    func takenNumber() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let (path, precious) = (folder.path + "/a.log", folder.path + "/precious")
        let sink = FileSink(path: path, format: .myLogger)
        let system = TestSystem { $0.sinks = [sink] }
        system.log().info("one")
        let (number, host) = (sink.file.descriptor, open(precious, O_CREAT | O_RDWR, 0o600))
        try #require(number >= 0 && dup2(host, number) == number)
        system.log().info("two")
        #expect(contents(path) == "[INFO] A - one\n[INFO] A - two\n")
        #expect(contents(precious)?.isEmpty == true)
        #expect(close(number) == 0)
        close(host)
    }

    @Test("rotate() continues in a new file; without lines there is nothing to rotate")
    func rotate() throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/a.log"
        let sink = FileSink(path: path, format: .myLogger, retainedFiles: 2)
        let system = TestSystem { $0.sinks = [sink] }
        #expect(sink.rotate() && contents(path) == nil)
        for index in 1...4 {
            system.log().info("line \(index)")
            #expect(sink.rotate() && sink.rotate())
        }
        #expect(contents(path)?.isEmpty != false)
        #expect(contents(path + ".1") == "[INFO] A - line 4\n" && contents(path + ".2") == "[INFO] A - line 3\n")
        #expect(contents(path + ".3") == nil)
        let unusable = FileSink(path: "/dev/null/a.log")
        #expect(unusable.rotate())
    }

    @Test("At its limit the file is renamed and replaces the previously renamed one")
    func limit() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/a.log"
        let sink = FileSink(path: path, format: .myLogger, maximumBytes: 100)
        let system = TestSystem { $0.sinks = [sink] }
        for index in 1...50 { system.log().info("line \(index)") }
        system.log().info("\(String(repeating: "z", count: 200))")
        #expect(folder.names.count { $0.hasPrefix("a.log") } == 2)
        #expect(contents(path) == "[INFO] A - " + String(repeating: "z", count: 200) + "\n")
        let before = try #require(contents(path + ".1"))
        #expect(before.hasSuffix("[INFO] A - line 50\n") && before.utf8.count <= 100)
    }

    @Test("A file that can't be created is a failure of the sink; later lines arrive once it can")
    func failure() throws {
        let parent = TemporaryFolder()
        try parent.make()
        let folder = TemporaryFolder(in: parent.path)
        let path = folder.path + "/a.log"
        try Data().write(to: URL(fileURLWithPath: folder.path))
        let sink = FileSink(path: path, format: .myLogger)
        func send(_ text: String) -> Bool {
            sink.receive(LogRecord.notice(text))
        }
        // A file is in the place of the folder.
        #expect(!send("one"))
        try FileManager.default.removeItem(atPath: folder.path)
        #expect(send("two"))
        #expect(contents(path) == "[WARNING] AshlarLogging - two\n")
        let secret = folder.path + "/secret"
        try Data().write(to: URL(fileURLWithPath: secret))
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: secret)
        let link = FileSink(path: folder.path + "/link")
        #expect(!link.receive(LogRecord.notice("x")))
        #expect(contents(secret) == "")
    }

    @Test("Missing folders are created for their owner only, also when they were removed")
    func missingFolder() throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/a/b/c.log"
        let sink = FileSink(path: path, format: .myLogger)
        for text in ["one", "two"] {
            #expect(send(text, to: sink))
            #expect(contents(path) == "[INFO] A - \(text)\n")
            let permissions = try FileManager.default.attributesOfItem(atPath: folder.path + "/a/b")[.posixPermissions]
            #expect(permissions as? Int == 0o700)
            try FileManager.default.removeItem(atPath: folder.path)
        }
    }

    private func send(_ text: String, to sink: FileSink) -> Bool {
        let copy = LogRecord(
            sequence: 1, level: .info, time: .now, depth: 0, context: "A", message: text, fields: [:], file: "F",
            function: "f", line: 1, threadID: 1)
        return sink.receive(copy)
    }

    @Test("A file that another program truncated continues up to its limit, and surplus old files are removed")
    func truncated() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/a.log"
        for number in 1...6 { try Data("old \(number)\n".utf8).write(to: URL(fileURLWithPath: "\(path).\(number)")) }
        let sink = FileSink(path: path, format: .myLogger, maximumBytes: 60, retainedFiles: 3)
        for index in 1...3 { #expect(send("line \(index)", to: sink)) }
        #expect(truncate(path, 0) == 0)
        for index in 4...6 { #expect(send("line \(index)", to: sink)) }
        #expect(contents(path) == (4...6).map { "[INFO] A - line \($0)\n" }.joined())
        #expect(folder.names.count == 7)
        #expect(send("line 7", to: sink))
        #expect(folder.names == ["a.log", "a.log.1", "a.log.2", "a.log.3"])
        #expect(contents(path + ".3") == "old 2\n")
    }

    @Test("Without a limit of old files, each is retained, and gaps are filled")
    func unlimited() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/a.log"
        let sink = FileSink(path: path, format: .myLogger, maximumBytes: 10, retainedFiles: .max)
        for index in 1...5 { #expect(send("\(index)", to: sink)) }
        try FileManager.default.removeItem(atPath: path + ".2")
        #expect(send("6", to: sink) && send("7", to: sink))
        let numbers = (0...5).map { contents($0 == 0 ? path : "\(path).\($0)")?.dropFirst(11).dropLast() }
        #expect(numbers == ["7", "6", "5", "4", "2", "1"])
    }

    @Test(
        "A line that a full disk tore ends before the next line",
        .enabled(if: canMountTemporaryFileSystem, "no file system can be mounted"))
    func tornLine() throws {
        let folder = TemporaryFolder()
        try folder.make()
        try #require(shell("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder.path) == 0)
        defer { _ = shell("umount", "-l", folder.path) }
        let (path, ballast) = (folder.path + "/a.log", folder.path + "/ballast")
        try Data(count: 30_000).write(to: URL(fileURLWithPath: ballast))
        let sink = FileSink(path: path, format: .myLogger)
        let text = String(repeating: "x", count: 1000)
        var written = 0
        while written < 100, send("\(written) \(text)", to: sink) { written += 1 }
        #expect((20..<60).contains(written))
        #expect(contents(path)?.last == "x", "the last line isn't torn")
        #expect(!send("lost", to: sink))
        try FileManager.default.removeItem(atPath: ballast)
        #expect(send("after", to: sink) && send("later", to: sink))
        let lines = try #require(contents(path)).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == written + 4)
        #expect(lines.suffix(3) == ["[INFO] A - after", "[INFO] A - later", ""])
    }

    @Test("A file that can't be renamed continues beyond its limit")
    func renameFails() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/a.log"
        try FileManager.default.createDirectory(atPath: path + ".1/x", withIntermediateDirectories: true)
        let sink = FileSink(path: path, format: .myLogger, maximumBytes: 20)
        for index in 1...4 { #expect(send("line \(index)", to: sink)) }
        #expect(contents(path) == (1...4).map { "[INFO] A - line \($0)\n" }.joined())
    }

    @Test("Old files are numbered from the newest, and the surplus one is removed")
    func numbering() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/a.log"
        let sink = FileSink(path: path, format: .myLogger, maximumBytes: 20, retainedFiles: 3)
        for index in 1...6 { #expect(send("line \(index)", to: sink)) }
        #expect(folder.names == ["a.log", "a.log.1", "a.log.2", "a.log.3"])
        for (suffix, index) in [("", 6), (".1", 5), (".2", 4), (".3", 3)] {
            #expect(contents(path + suffix) == "[INFO] A - line \(index)\n")
        }
    }
}
