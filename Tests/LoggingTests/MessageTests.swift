import AshlarLogging
import AshlarTestSupport
import Testing

@Suite struct MessageTests {
    private struct Point: CustomStringConvertible {
        var description: String { "(1, 2)" }
    }
    private struct Failure: Error {}
    private static var placed: LogFormat {
        (try? LogFormat("{level} {context} {file}:{line} {function} {message}")) ?? .standard
    }

    @Test("Interpolation prints the same as that of String")
    func parity() {
        let (text, part, none) = ("tëxt", "substring".dropFirst(3), Int?.none)
        let some: Int? = 5
        func same(_ message: LogMessage, _ string: String, line: Int = #line) {
            #expect(message.description == string, "line \(line)")
        }
        same("static", "static")
        same("é", "é")
        same("\(1) \(-1) \(0)", "\(1) \(-1) \(0)")
        same("\(Int.min) \(Int.max) \(UInt64.max) \(Int8.min)", "\(Int.min) \(Int.max) \(UInt64.max) \(Int8.min)")
        same("\(UInt8(200)) \(UInt(7))", "\(UInt8(200)) \(UInt(7))")
        same("\(Int128.max) \(Int128.min)", "\(Int128.max) \(Int128.min)")
        same(
            "\(1.5) \(0.1 + 0.2) \(1e300) \(Float(0.1)) \(Double.nan)",
            "\(1.5) \(0.1 + 0.2) \(1e300) \(Float(0.1)) \(Double.nan)")
        same("\(text)|\(part)|\(true)|\(Point())|\([1, 2])", "\(text)|\(part)|\(true)|\(Point())|\([1, 2])")
        same("\(Failure())", "\(Failure())")
        // Optionals print their value, unlike in a String.
        same("\(some) \(none) \(Optional("x"))", "5 nil x")
        same("", "")
    }

    @Test("Random numbers print like those of String")
    func numbers() {
        var random = SeededRandom(seed: 11)
        for _ in 0..<2000 {
            let integer = Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0...63, using: &random)
            let double = Double(bitPattern: random.next())
            let message: LogMessage = "\(integer) \(double)"
            #expect(message.description == "\(integer) \(double)")
        }
    }

    @Test(
        "Integers in other notations",
        arguments: [
            ("\(255, format: .hex())", "0xff"), ("\(255, format: .hex(digits: 4))", "0x00ff"),
            ("\(-255, format: .hex())", "-0xff"), ("\(5, format: .hex(digits: 4))", "0x0005"),
            ("\(7, format: .decimal(digits: 3))", "007"),
            ("\(Int.min, format: .hex())", "-0x8000000000000000"),
            ("\(3.14159, format: .fixed(2))", "3.14"), ("\(-0.001, format: .fixed(2))", "0.00"),
            ("\(2.5, format: .fixed(0))", "3"), ("\(1e20, format: .fixed(2))", "1e+20"),
            ("\(1.05, format: .fixed(3))", "1.050"), ("\(Float(1.5), format: .fixed(2))", "1.50"),
            ("\(3, format: .fixed(1))", "3.0"), ("\(0.996, format: .fixed(2))", "1.00"),
            ("\(1_700_000_000.5, format: .fixed(9))", "1700000000.500000000"),
            ("\(Double.nan, format: .fixed(2))", "nan"),
        ] as [(LogMessage, String)])
    func formats(message: LogMessage, text: String) { #expect(message.description == text) }

    @Test("A stored message can be logged again after its thread reused its buffers")
    func kept() {
        let system = TestSystem()
        let message: LogMessage = "kept \(1)"
        let log = system.log()
        log.info(message)
        for index in 0..<10 { log.info("other \(index)") }
        log.info(message)
        #expect(system.lines.first == "[INFO] A - kept 1")
        #expect(system.lines.last == "[INFO] A - kept 1")
    }

    @Test("A description can log; its line comes first")
    func nested() {
        let system = TestSystem()
        struct Talker: CustomStringConvertible {
            let log: Log
            var description: String {
                log.debug("asked \(1)")
                return "talker"
            }
        }
        let log = system.log()
        log.info("a \(Talker(log: log)) b \(2)")
        #expect(system.lines == ["[DEBUG] A - asked 1", "[INFO] A - a talker b 2"])
    }

    @Test("A description that logs itself stops at the eighth level and is counted")
    func recursion() {
        let system = TestSystem()
        final class Endless: CustomStringConvertible {
            let log: Log
            init(_ log: Log) { self.log = log }
            var description: String {
                log.debug("again \(self)")
                return "endless"
            }
        }
        let log = system.log()
        for round in 1...3 {
            log.info("\(Endless(log))")
            #expect(system.lines.count == round * 8)
            #expect(system.counters.droppedRecursive == round)
        }
        log.info("after")
        #expect(system.lines.last == "[INFO] A - after")
    }

    @Test("An optional value prints and hashes like its value")
    func optionals() {
        let (some, name, none, nested): (Int?, String?, String?, Int??) = (5, "bob", nil, 7)
        let open: LogMessage = "\(some) \(none) \(nested)"
        #expect(open.description == "5 nil 7")
        let (hashed, same): (LogMessage, LogMessage) = ("\(name, privacy: .hash)", "\("bob", privacy: .hash)")
        #expect(hashed.description == same.description)
        let fields: LogFields = ["user": .hash("bob"), "any": .describing(some as Any)]
        #expect(fields["user"]?.description == same.description)
        #expect(fields["any"] == .string("5"))
    }

    @Test("Private values aren't printed; hashes are equal for equal values; other values are printed")
    func privacy() {
        let system = TestSystem()
        let log = system.log()
        log.info("\("bob", privacy: .private) \("bob") \(4711_0815_4711, privacy: .private)")
        log.info("\("bob", privacy: .hash)")
        log.info("\("bob", privacy: .hash)")
        log.info("\("eve", privacy: .hash)")
        log.info("f", ["name": .private("s3cret"), "user": .hash("bob"), "open": "x"])
        let lines = system.lines
        #expect(lines[0] == "[INFO] A - <private> bob <private>")
        #expect(lines[1] == lines[2] && lines[1] != lines[3])
        #expect(lines[1].wholeMatch(of: /\[INFO\] A - <hash:[0-9a-f]{16}>/) != nil)
        #expect(lines[4].hasPrefix("[INFO] A - f name=<private> user=<hash:"))
        #expect(lines[4].hasSuffix("open=x"))
        #expect(!system.live.contains("s3cret") && !system.live.contains("471108154711"))
    }

    @Test("logRaw uses its caller's level, context and position")
    func raw() {
        let system = TestSystem(threshold: .warning) { $0.format = Self.placed }
        let log = system.log("bridge")
        log.logRaw(.error, "te\nxt", context: "other", fields: ["k": 1], function: "f()", file: "X/Y.swift", line: 3)
        log.logRaw(.debug, "not")
        log.logRaw(.warning, "own", function: "g()", file: "Z", line: 4)
        #expect(system.lines == ["ERROR other X/Y.swift:3 f() te\\nxt k=1", "WARNING bridge Z:4 g() own"])
    }
}
