import AshlarEventBus
import AshlarTestSupport
import Testing

@Suite("Atomic route registration")
struct RouteAtomicityTests {
    let router = Router(bus: EventBus())

    @Test("A registration that throws preserves the routes it would have replaced")
    func failedReplacement() throws {
        for pattern in ["/a/:m/:n", "/a/:m"] { try router.route(pattern) { _ in } }
        #expect(throws: EventBusError.self) { try router.route("/a{/:x}{/:y}", replacing: true) { _ in } }
        #expect(router.patterns == ["/a/:m", "/a/:m/:n"])
        #expect(try router.match("/a/1").pattern == "/a/:m")
        #expect(try router.match("/a/1/2").pattern == "/a/:m/:n")
        #expect(!router.contains("/a"))
    }

    @Test("Failed registrations don't affect the matches of random tables", arguments: 0..<4)
    func randomTables(part: Int) throws {
        let seed = UInt64(part) &* 104_729 &+ 11
        var random = SeededRandom(seed: seed)
        let pieces = ["/a", "/b", "/:m", "/:n", "{/:x}", "{/:y}", "{/a}", "{/b}", "/:i(int)"]
        var (failures, replacements) = (0, 0)
        for round in 0..<1500 {
            let router = Router(bus: EventBus())
            var accepted: [(pattern: String, isReplacing: Bool)] = []
            for _ in 0..<Int.random(in: 2...8, using: &random) {
                let pattern = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                    pieces.randomElement(using: &random)!
                }
                .joined()
                let isReplacing = Bool.random(using: &random)
                let before = router.patterns
                do {
                    try router.route(pattern, replacing: isReplacing) { _ in }
                    accepted.append((pattern, isReplacing))
                    if router.patterns.count <= before.count { replacements += 1 }
                } catch {
                    failures += 1
                    #expect(router.patterns == before)
                }
            }
            // A router without the failed registrations gives the same results.
            let reference = Router(bus: EventBus())
            for (pattern, isReplacing) in accepted { try reference.route(pattern, replacing: isReplacing) { _ in } }
            #expect(router.patterns == reference.patterns)
            for first in ["", "/a", "/b", "/7"] {
                for second in ["", "/a", "/c", "/8"] {
                    for path in ["/a\(first)\(second)", "/x\(first)\(second)"] {
                        let (found, expected) = (try? router.match(path), try? reference.match(path))
                        #expect(found?.pattern == expected?.pattern, "seed \(seed), round \(round), \(path)")
                        #expect(found?.parameters.dictionary == expected?.parameters.dictionary)
                    }
                }
            }
        }
        #expect(failures > 500 && replacements > 50)
    }
}
