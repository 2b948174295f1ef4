import AshlarTestSupport
import Testing

@testable import AshlarLogging

@Suite struct LineCapTests {
    @Test("A line over the limit is cut at a character boundary with the number of missing bytes")
    func cut() {
        let system = TestSystem { $0.maximumLineBytes = 1024 }
        let text = String(repeating: "é", count: 1400)
        system.log().info("\(text)")
        let line = system.lines[0]
        #expect(line.utf8.count <= 1024)
        #expect(line.hasPrefix("[INFO] A - éé"))
        let shown = line.count { $0 == "é" }
        #expect(line.hasSuffix("é...[+\((1400 - shown) * 2) B]"))
        #expect(system.counters.truncated == 1)
    }

    @Test(
        "A cut never splits a character",
        arguments: ["👨‍👩‍👧‍👦", "e\u{301}\u{302}", "🇬🇷", "a", "\u{1100}\u{1161}\u{11A8}"])
    func boundaries(character: String) {
        for limit in 1024..<(1024 + character.utf8.count) {
            let system = TestSystem { $0.maximumLineBytes = limit }
            system.log().info("\(String(repeating: character, count: 3000))")
            let line = system.lines[0]
            #expect(line.utf8.count <= limit)
            let body = line.dropFirst("[INFO] A - ".count).prefix(while: { $0 != "." })
            #expect(!body.isEmpty)
            #expect(body.allSatisfy { String($0) == character })
        }
    }

    @Test("The limit counts escapes as they are printed", arguments: [1024, 1200, 2000])
    func escapes(limit: Int) {
        let system = TestSystem { $0.maximumLineBytes = limit }
        system.log().info("\(String(repeating: "\u{1}", count: 2000))")
        let line = system.lines[0]
        #expect(line.utf8.count <= limit)
        #expect(line.utf8.count > limit - 40)
        let shown = (line.utf8.count { $0 == 92 })
        #expect(line.hasSuffix(#"\x01...[+\#(2000 - shown) B]"#))
    }

    @Test("A line of exactly the limit is not cut")
    func exact() {
        let system = TestSystem { $0.maximumLineBytes = 1024 }
        let head = "[INFO] A - ".utf8.count
        system.log().info("\(String(repeating: "x", count: 1024 - head))")
        system.log().info("\(String(repeating: "x", count: 1025 - head))")
        #expect(system.lines[0].utf8.count == 1024)
        #expect(system.lines[0].hasSuffix("xxx"))
        #expect(system.lines[1].hasSuffix(" B]"))
        #expect(system.counters.truncated == 1)
    }

    @Test("Messages of ten megabytes are cut at the default limit")
    func huge() {
        let system = TestSystem()
        let text = String(repeating: "0123456789", count: 1_000_000)
        system.log().info("\(text)")
        system.log().info("\(text)\(text)")
        system.log().info("small")
        let lines = system.lines
        #expect(lines.count == 3)
        #expect(lines[0].utf8.count <= 65536)
        let shown = lines[0].utf8.count - "[INFO] A - ".utf8.count - "...[+9934480 B]".utf8.count
        #expect(lines[0].hasSuffix("...[+\(10_000_000 - shown) B]"))
        #expect(lines[1].hasSuffix(" B]") && lines[1].contains("...[+19934"))
        #expect(lines[2] == "[INFO] A - small")
    }

    @Test("Fields that don't fit are replaced by their number")
    func fields() {
        let system = TestSystem { $0.maximumLineBytes = 1024 }
        var fields: LogFields = [:]
        for index in 0..<300 { fields.append("key\(index)", "value") }
        system.log().info("m", fields)
        let line = system.lines[0]
        #expect(line.utf8.count <= 1024)
        #expect(line.hasSuffix(" fields]"))
        #expect(system.counters.truncated == 1)
    }
}
