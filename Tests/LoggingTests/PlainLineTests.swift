import Foundation
import Testing

@testable import AshlarLogging

/// Lines that are written around their message, where it was collected, beside those that are printed step by step.
@Suite struct PlainLineTests {
    /// Logs the text both ways and returns the two lines, or what there is of them.
    private func both(_ system: TestSystem, _ text: String, _ level: LogLevel = .information) -> [String] {
        let before = system.live.utf8.count
        let log = system.log("plain")
        log.log(level, "\(text)")
        log.log(level, text as String?)
        return system.live.utf8.dropFirst(before).split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "Every byte at every place of messages of every length up to 40 is printed the same both ways", arguments: modes
    )
    func everyByte(mode: LogStorageMode) throws {
        let system = TestSystem { $0.mode = mode }
        _ = both(system, "the beginning is known from here on")
        for length in 0...40 {
            let plain = (0..<length).map { Character(UnicodeScalar(UInt8(32 + ($0 * 7 + length) % 95))) }
            let lines = both(system, String(plain))
            #expect(lines == Array(repeating: "[INFO] plain - " + String(plain), count: 2))
        }
        for scalar in [0, 9, 10, 13, 27, 31, 32, 126, 127, 128, 0x9F, 0xA0, 0x2028, 0x202E, 0x1F600] as [UInt32] {
            for length in [1, 7, 8, 9, 15, 16, 17, 31, 32, 33] {
                for place in 0..<length {
                    var text = [Character](repeating: "x", count: length)
                    text[place] = Character(try #require(UnicodeScalar(scalar)))
                    let lines = both(system, String(text))
                    #expect(lines.count == 2 && lines[0] == lines[1], "\(scalar) at \(place) of \(length): \(lines)")
                }
            }
        }
    }

    @Test("The beginning of a line may have any length, depth and level")
    func beginnings() {
        let system = TestSystem()
        for length in [0, 1, 2, 10, 20, 40, 90, 100, 101, 102, 103, 104, 105, 110, 200] {
            let log = system.log(String(repeating: "c", count: length))
            for depth in [0, 1, 15, 16, 17] {
                for _ in 0..<depth { log.indent(true) }
                for level in [LogLevel.error, .information, .verbose] {
                    for round in 0..<2 {
                        let before = system.lines.count
                        log.log(level, "m \(round)")
                        let expected =
                            String(repeating: "  ", count: depth) + "[\(level)] " + log.context + " - m \(round)"
                        #expect(system.lines[before...] == [expected])
                    }
                }
                for _ in 0..<depth { log.indent(false) }
            }
        }
    }

    @Test("Lines of many loggers and levels on one thread keep their own beginnings")
    func collisions() {
        let system = TestSystem()
        var random = SeededGenerator(seed: 17)
        let logs = (0..<40).map { system.log("logger\($0)") }
        var expected: [String] = []
        for index in 0..<3000 {
            let log = logs.randomElement(using: &random) ?? logs[0]
            let level = LogLevel.allCases.randomElement(using: &random) ?? .error
            log.log(level, "\(index)")
            expected.append("[\(level)] \(log.context) - \(index)")
        }
        #expect(system.lines == expected)
    }

    @Test("Numbers around all powers of ten print as String prints them")
    func powersOfTen() {
        var power: UInt64 = 1
        for _ in 0...19 {
            for value in [power &- 1, power, power &+ 1, power &* 9] {
                let message: LogMessage =
                    "\(value)|\(Int64(truncatingIfNeeded: value))|\(UInt32(truncatingIfNeeded: value))"
                let text = "\(value)|\(Int64(truncatingIfNeeded: value))|\(UInt32(truncatingIfNeeded: value))"
                #expect(message.description == text)
            }
            power = power &* 10
        }
    }

    @Test("Messages inside of messages, three deep, do not share memory")
    func nested() {
        let system = TestSystem()
        struct Talker: CustomStringConvertible {
            let log: Log
            let depth: Int
            var description: String {
                guard depth > 0 else { return "end" }
                log.debug("at \(depth) \(Talker(log: log, depth: depth - 1)) again \(depth)")
                return "said \(depth)"
            }
        }
        let log = system.log()
        for round in 0..<3 {
            let before = system.lines.count
            log.debug("top \(Talker(log: log, depth: 5)) \(round)")
            var expected = ["[DEBUG] A - at 1 end again 1"]
            for depth in 2...5 { expected.append("[DEBUG] A - at \(depth) said \(depth - 1) again \(depth)") }
            #expect(system.lines[before...] == expected[...] + ["[DEBUG] A - top said 5 \(round)"])
        }
    }

    @Test("A message that is kept is not written around: threads may log it at once")
    func kept() async {
        let system = TestSystem()
        let message: LogMessage = "kept \(12345)"
        let logs = (0..<4).map { system.log("logger\($0)") }
        await withTaskGroup(of: Void.self) { group in
            for log in logs {
                group.addTask { for _ in 0..<200 { log.info(message) } }
            }
        }
        #expect(message.description == "kept 12345")
        var counts: [Substring: Int] = [:]
        for line in system.live.split(separator: "\n") { counts[line, default: 0] += 1 }
        #expect(counts.count == 4 && counts.values.allSatisfy { $0 == 200 }, "\(counts)")
    }

    @Test("What a line needs besides is seen at once: fields, sinks, captures, formats, limits, scopes")
    func changes() throws {
        let system = TestSystem()
        let log = system.log()
        for _ in 0..<2 { log.info("plain \(1)") }
        log.info("with \(2)", ["k": 1])
        log.scope("s") { log.info("deep \(3)") }
        system.pipeline.format = try LogFormat("<{message}>")
        log.info("format \(4)")
        system.pipeline.format = try LogFormat("{context} {message}!")
        log.info("tail \(5)")
        system.pipeline.format = .standard
        let long = String(repeating: "l", count: 2000)
        for _ in 0..<2 { log.info("\(long)") }
        let lines = system.lines
        #expect(lines[2] == "[INFO] A - with 2 k=1")
        #expect(lines.contains("  [INFO] A - deep 3"))
        #expect(lines.suffix(4) == ["<format 4>", "A tail 5!", "[INFO] A - \(long)", "[INFO] A - \(long)"])
        let short = TestSystem { $0.maximumLineBytes = 1024 }
        for count in [900, 911, 912, 913, 1000, 1013, 1014, 1100] {
            let text = String(repeating: "x", count: count)
            let lines = both(short, text)
            #expect(lines.count == 2 && lines[0] == lines[1] && lines[0].utf8.count <= 1024)
        }
        #expect(system.counters.emitted == system.lines.count)
    }
}
