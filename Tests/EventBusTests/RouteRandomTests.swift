import AshlarEventBus
import AshlarTestSupport
import Testing

@Suite("Random tables, paths and bytes", .timeLimit(.minutes(10)))
struct RouteRandomTests {
    /// Few words, so that routes overlap and paths match them.
    private static let words = ["a", "b", "ab", "abc", "1", "12", "true", "x-y", "é", "a.b", ""]
    private static let texts = ["", "", "a", "b", "ab", "-", "x"]

    private func piece(_ random: inout SeededRandom, _ names: inout [String], isLast: Bool) -> RouteReference.Piece {
        func name(_ random: inout SeededRandom) -> String {
            let name = "p\(names.count)\(["", "x", "y"].randomElement(using: &random)!)"
            names.append(name)
            return name
        }
        switch Int.random(in: 0..<10, using: &random) {
        case 0...4: return .literal(Self.words.dropLast(isLast ? 1 : 0).randomElement(using: &random)!)
        case 5...6: return .parameter(name: name(&random), type: nil)
        case 7...8:
            return .parameter(name: name(&random), type: RouteReference.types.indices.randomElement(using: &random))
        default: return isLast ? .catchAll(name: name(&random)) : .literal("a")
        }
    }

    private func route(_ random: inout SeededRandom) -> [RouteReference.Piece] {
        let count = Int.random(in: 1...4, using: &random)
        var names: [String] = []
        return (0..<count).map { piece(&random, &names, isLast: $0 == count - 1) }
    }

    private func encoded(_ segment: String, _ random: inout SeededRandom) -> String {
        segment.utf8.map { byte in
            let mustEncode = byte >= 0x80 ? Bool.random(using: &random) : Int.random(in: 0..<8, using: &random) == 0
            // The bytes of one character are all raw or all encoded, because a Swift string has only whole characters.
            return mustEncode || byte >= 0x80
                ? "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16) : "\(Character(Unicode.Scalar(byte)))"
        }.joined()
    }

    @Test("Random tables match random paths like a slow reference matcher", arguments: 0..<8)
    func againstTheReference(_ part: Int) throws {
        var random = SeededRandom(seed: UInt64(part) &* 7919 &+ 1)
        let tables = soak ? 4000 : 60
        var (matched, missed, backtracked) = (0, 0, 0)
        for _ in 0..<tables {
            var routes: [[RouteReference.Piece]] = []
            var shapes: Set<[RouteReference.Piece]> = []
            var router = try RouteTable([String]())
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                let pieces = route(&random)
                let isNew = shapes.insert(RouteReference.shape(pieces)).inserted
                let sources = (routes + [pieces]).map(RouteReference.text)
                // Only equal shapes conflict.
                let error = routeError { router = try RouteTable(sources) }
                #expect((error == nil) == isNew, "\(RouteReference.text(pieces)): \(error?.description ?? "accepted")")
                if isNew { routes.append(pieces) }
            }
            let reference = RouteReference(routes: routes)
            for _ in 0..<150 {
                let segments = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                    Bool.random(using: &random)
                        ? Self.words.randomElement(using: &random)!
                        : (Self.texts.randomElement(using: &random)! + Self.words.randomElement(using: &random)!
                            + Self.texts.randomElement(using: &random)!)
                }
                // Ignoring the trailing slash would also remove an empty last segment.
                let path =
                    "/" + segments.map { encoded($0, &random) }.joined(separator: "/")
                    + (segments.last == "" ? "/" : "")
                let expected = reference.match(segments)
                let found = try? router.match(path)
                guard let expected else {
                    #expect(found == nil, "\(path) in \(router.patternsForTest)")
                    missed += 1
                    continue
                }
                #expect(found?.pattern == RouteReference.text(routes[expected.route]), "\(path)")
                #expect(found?.parameters.dictionary == expected.values, "\(path)")
                matched += 1
                if expected.rank.last == [3] { backtracked += 1 }
            }
        }
        // The test is only valid if there are matches, misses and backtracking.
        #expect(matched > tables * 20 && missed > tables * 5 && backtracked > tables)
    }

    @Test("A path built from random values matches with the same values, or building fails", arguments: 0..<4)
    func roundTrips(_ part: Int) throws {
        var random = SeededRandom(seed: UInt64(part) &+ 99)
        let alphabet = Array("ab/%?#é🎈 +&=:*{}\\.\u{0}\u{301}19-")
        var (built, refused) = (0, 0)
        for _ in 0..<(soak ? 200_000 : 3000) {
            let pieces = route(&random)
            let pattern = try RoutePattern(RouteReference.text(pieces))
            var values: [String: String] = [:]
            for name in pattern.parameterNames {
                let count = Int.random(in: 0..<6, using: &random)
                values[name] = String((0..<count).map { _ in alphabet.randomElement(using: &random)! })
            }
            do throws(EventBusError) {
                let path = try pattern.path(values)
                let read = try pattern.match(path).parameters.dictionary
                #expect(read == values)
                #expect(path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f })
                built += 1
            } catch {
                #expect(error.code == .parameterInvalid, "\(error)")
                refused += 1
            }
        }
        #expect(built > 500 && refused > 300)
    }

    @Test("Any bytes are a pattern or an error with an offset inside them", arguments: 0..<4)
    func randomPatterns(_ part: Int) {
        var random = SeededRandom(seed: UInt64(part) &+ 7)
        let alphabet = Array("/:*{}()\\%?#ab1é.".unicodeScalars)
        var (accepted, refused) = (0, 0)
        for round in 0..<(soak ? 2_000_000 : 20_000) {
            var source = String.UnicodeScalarView()
            if Int.random(in: 0..<4, using: &random) > 0 { source.append("/") }
            for _ in 0..<Int.random(in: 0..<16, using: &random) {
                source.append(
                    round % 8 == 0
                        ? Unicode.Scalar(UInt32.random(in: 0...0xd7ff, using: &random))!
                        : alphabet.randomElement(using: &random)!)
            }
            let text = String(source)
            do {
                let pattern = try RoutePattern(text)
                #expect(pattern.description == text)
                accepted += 1
            } catch {
                #expect((error.offset ?? -1) >= 0 && error.offset ?? 0 <= text.utf8.count)
                refused += 1
            }
        }
        #expect(accepted > 200 && refused > 2000)
    }

    @Test("Any bytes are a path that matches or an error", arguments: 0..<4)
    func randomPaths(_ part: Int) throws {
        var random = SeededRandom(seed: UInt64(part) &+ 70)
        let table = try RouteTable([
            "/", "/a", "/a/:b", "/a/:b(int)/c", "/*rest", "https://x/a/:b/*rest", "https://x/*rest", "app://h/:x(uuid)",
        ])
        var (matched, refused) = (0, 0)
        for round in 0..<(soak ? 4_000_000 : 20_000) {
            var bytes: [UInt8] = round % 3 == 0 ? Array("https://x/".utf8) : [UInt8(ascii: "/")]
            let alphabet = Array("/a%2F?#.:@xyz5\u{7f}".utf8)
            for _ in 0..<Int.random(in: 0..<40, using: &random) {
                bytes.append(
                    round % 2 == 0 ? UInt8.random(in: 0...255, using: &random) : alphabet.randomElement(using: &random)!
                )
            }
            let url = String(decoding: bytes, as: UTF8.self)
            do {
                let match = try table.match(url)
                #expect(match.parameters.dictionary.values.allSatisfy { !$0.isEmpty })
                _ = (match.query, match.fragment, match.host, match.path)
                matched += 1
            } catch {
                #expect(error.offset ?? 0 <= url.utf8.count)
                refused += 1
            }
        }
        #expect(matched > 1000 && refused > 1000)
    }
}

extension RouteTable {
    fileprivate var patternsForTest: String { "\(count) patterns" }
}

/// A slow and obviously correct matcher: it tries every route for the whole path and sorts the hits.
///
/// It shares nothing with the router but the answers that are compared: patterns are built here as values, not parsed,
/// and types are rules of its own.
struct RouteReference {
    enum Piece: Hashable {
        case literal(String)
        /// The number of a type in `types`, or nil.
        case parameter(name: String, type: Int?)
        case catchAll(name: String)
    }

    struct Hit {
        var route: Int
        var values: [String: String]
        var rank: [[Int]]
    }

    static let types: [(name: String, accepts: @Sendable (String) -> Bool)] = [
        ("bool", { $0 == "true" || $0 == "false" }),
        ("uint", { !$0.isEmpty && $0.allSatisfy { "0123456789".contains($0) } && UInt64($0) != nil }),
        ("int", { !$0.hasPrefix("+") && Int64($0) != nil }),
        (
            "slug",
            {
                $0.unicodeScalars.allSatisfy {
                    $0.isASCII && ($0.properties.isAlphabetic || "0123456789-_".unicodeScalars.contains($0))
                }
            }
        ),
    ]

    var routes: [[Piece]]

    static func text(_ pieces: [Piece]) -> String {
        func escaped(_ text: String) -> String {
            text.map { ":*{}\\?#%/".contains($0) ? "\\\($0)" : "\($0)" }.joined()
        }
        let parts = pieces.map { piece in
            switch piece {
            case .literal(let text): escaped(text)
            case .parameter(let name, let type): ":\(name)" + (type.map { "(\(types[$0].name))" } ?? "")
            case .catchAll(let name): "*\(name)"
            }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// The pattern without its names, which two routes must not have in common.
    static func shape(_ pieces: [Piece]) -> [Piece] {
        pieces.map { piece in
            switch piece {
            case .literal: piece
            case .parameter(_, let type): .parameter(name: "", type: type)
            case .catchAll: .catchAll(name: "")
            }
        }
    }

    /// Returns the best match among all routes for decoded segments.
    func match(_ segments: [String]) -> Hit? {
        let hits = routes.indices.compactMap { hit($0, segments) }
        return hits.min { a, b in a.rank.lexicographicallyPrecedes(b.rank) { $0.lexicographicallyPrecedes($1) } }
    }

    private func hit(_ route: Int, _ segments: [String]) -> Hit? {
        var (hit, rest) = (Hit(route: route, values: [:], rank: []), segments[...])
        for piece in routes[route] {
            switch piece {
            case .catchAll(let name):
                guard !rest.isEmpty, rest != [""] else { return nil }
                hit.values[name] = rest.joined(separator: "/")
                hit.rank.append([3])
                return hit
            case .literal(let text):
                guard rest.popFirst() == text else { return nil }
                hit.rank.append([0])
            case .parameter(let name, let type):
                guard let value = rest.popFirst(), !value.isEmpty else { return nil }
                if let type, !Self.types[type].accepts(value) { return nil }
                hit.values[name] = value
                hit.rank.append([type == nil ? 2 : 1, type ?? -1])
            }
        }
        return rest.isEmpty ? hit : nil
    }
}
