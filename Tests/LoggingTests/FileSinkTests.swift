import Foundation
import Testing

@testable import AshlarLogging

@Suite struct FileSinkTests {
    private func contents(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

    @Test("Lines are appended at once, in the sink's own format, to what the file held")
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

    @Test("A file that is moved or deleted is made again, readable by its owner only")
    func moved() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/a.log"
        let sink = FileSink(path: path, format: .standard)
        let system = TestSystem { $0.sinks = [sink] }
        for index in 1...10 { system.log().info("line \(index)") }
        try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
        for index in 11...300 { system.log().info("line \(index)") }
        let all = try #require(contents(path + ".old")) + #require(contents(path))
        #expect(all == (1...300).map { "[INFO] A - line \($0)\n" }.joined())
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test("When the sink's number belongs to a file of the host, nothing is written there, and it is not closed")
    func takenNumber() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let (path, precious) = (folder.path + "/a.log", folder.path + "/precious")
        let sink = FileSink(path: path, format: .standard)
        let system = TestSystem { $0.sinks = [sink] }
        system.log().info("one")
        let (number, host) = (sink.descriptor, open(precious, O_CREAT | O_RDWR, 0o600))
        try #require(number >= 0 && dup2(host, number) == number)
        system.log().info("two")
        #expect(contents(path) == "[INFO] A - one\n[INFO] A - two\n")
        #expect(contents(precious)?.isEmpty == true)
        #expect(close(number) == 0)
        close(host)
    }

    @Test("At its limit the file is renamed, and the one renamed before goes")
    func limit() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/a.log"
        let sink = FileSink(path: path, format: .standard, maximumBytes: 100)
        let system = TestSystem { $0.sinks = [sink] }
        for index in 1...50 { system.log().info("line \(index)") }
        system.log().info(String(repeating: "z", count: 200))
        #expect(folder.names.count { $0.hasPrefix("a.log") } == 2)
        #expect(contents(path) == "[INFO] A - " + String(repeating: "z", count: 200) + "\n")
        let before = try #require(contents(path + ".1"))
        #expect(before.hasSuffix("[INFO] A - line 50\n") && before.utf8.count <= 100)
    }

    @Test("A file that cannot be made is a failure of the sink; once it can be, lines arrive")
    func failure() throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/a.log"
        let sink = FileSink(path: path, format: .standard)
        func send(_ text: String) -> Bool {
            LogRecord.Copy.notice(text).withRecord { sink.receive($0) }
        }
        #expect(!send("one"))
        try folder.make()
        #expect(send("two"))
        #expect(contents(path) == "[WARNING] AshlarLogging - two\n")
        let secret = folder.path + "/secret"
        try Data().write(to: URL(fileURLWithPath: secret))
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: secret)
        let link = FileSink(path: folder.path + "/link")
        #expect(!LogRecord.Copy.notice("x").withRecord { link.receive($0) })
        #expect(contents(secret) == "")
    }

    @Test("Two sinks on one file and many threads mix no line", .timeLimit(.minutes(isSoak ? 20 : 2)))
    func shared() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/a.log"
        let sinks = [FileSink(path: path, format: .standard), FileSink(path: path, format: .standard)]
        let text = String(repeating: "x", count: 300)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for _ in 0..<200 { _ = LogRecord.Copy.notice(text).withRecord { sinks[thread % 2].receive($0) } }
        }
        let lines = try #require(contents(path)).split(separator: "\n")
        #expect(lines.count == 800)
        #expect(lines.allSatisfy { $0 == "[WARNING] AshlarLogging - \(text)" })
    }
}
