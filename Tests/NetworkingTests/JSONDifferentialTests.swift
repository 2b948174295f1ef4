import AshlarNetworking
import AshlarTestSupport
import Foundation
import Testing

/// Random documents, parsed by this module and by Foundation, and parsed again after writing.
@Suite(.timeLimit(.minutes(5))) struct JSONDifferentialTests {
    private static let isSoak = ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1"
    /// 200,000 documents in a soak run.
    private static let documents = isSoak ? 50_000 : 1500

    @Test(
        "Generated documents are parsed like by JSONSerialization and written unchanged",
        arguments: [UInt64(11), 12, 13, 14])
    func differential(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for number in 0..<Self.documents {
            var compact = ""
            var spaced = ""
            generate(&compact, &spaced, depth: 0, &random)
            let json = try JSONEntity(parsing: spaced)
            #expect(json.text() == compact, "document \(number) of seed \(seed)")
            #expect(try JSONEntity(parsing: json.text(indent: 2)).text() == compact)
            #expect(try JSONEntity(parsing: compact) == json)
            let foundation = try JSONSerialization.jsonObject(with: Data(spaced.utf8), options: [.fragmentsAllowed])
            #expect(agrees(json, foundation), "document \(number) of seed \(seed): \(compact)")
        }
    }

    @Test(
        "Both parsers accept the same damaged documents, except for known deviations of Foundation",
        arguments: [UInt64(21), 22])
    func damaged(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var refused = 0
        for _ in 0..<Self.documents * 2 {
            var compact = ""
            var spaced = ""
            generate(&compact, &spaced, depth: 1, &random)
            var bytes = Array(spaced.utf8)
            for _ in 0...Int.random(in: 0...1, using: &random) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes.remove(at: index)
                case 1: bytes[index] = Array("{}[],:\"\\0e.-tfn \u{1}".utf8).randomElement(using: &random)!
                default: bytes.insert(UInt8.random(in: .min ... .max, using: &random), at: index)
                }
            }
            let theirs = try? JSONSerialization.jsonObject(with: Data(bytes), options: [.fragmentsAllowed])
            do {
                let ours = try JSONEntity(parsing: bytes)
                #expect(try JSONEntity(parsing: ours.bytes()) == ours)
                if let theirs, !repeatsKeys(ours) {
                    #expect(agrees(ours, theirs), "\(String(decoding: bytes, as: UTF8.self))")
                } else if theirs == nil {
                    // Of valid documents, Foundation rejects only those with a number that no double can represent.
                    #expect(isBeyondDouble(ours), "\(String(decoding: bytes, as: UTF8.self))")
                }
            } catch {
                refused += 1
                if theirs != nil, !Self.isAllowedByFoundation(bytes, error) {
                    Issue.record("\(error.message): \(String(decoding: bytes, as: UTF8.self))")
                }
            }
        }
        #expect(refused > Self.documents / 4, "the damage must show")
    }

    @Test(
        "A document with one changed byte is accepted or rejected without a trap",
        arguments: [exampleMapText, JSONDecodingTests.text])
    func everyByte(text: String) throws {
        var bytes = Array(text.utf8)
        let values: [UInt8] =
            Self.isSoak ? Array(0...255) : [0, 0x22, 0x5C, 0x7B, 0x7D, 0x5B, 0x5D, 0x2C, 0x3A, 0x30, 0x80, 0xFF]
        var (read, refused) = (0, 0)
        for index in bytes.indices {
            let old = bytes[index]
            for value in values {
                bytes[index] = value
                if let json = try? JSONEntity(parsing: bytes) {
                    read += 1
                    _ = json["configurations"][0]["hosts"][1]["host"].path
                } else {
                    refused += 1
                }
                _ = try? HostMap(json: bytes)
            }
            bytes[index] = old
        }
        #expect(read > 0 && refused > read / 2)
    }

    @Test("A truncated document is rejected at its end")
    func everyPrefix() {
        let bytes = Array(exampleMapText.utf8)
        for end in 0..<(bytes.count - 1) {
            let error = #expect(throws: NetworkError.self) { try JSONEntity(parsing: Array(bytes[..<end])) }
            #expect(error?.offset.map { $0 <= end } == true)
        }
    }

    // MARK: Generation

    private func generate(_ compact: inout String, _ spaced: inout String, depth: Int, _ random: inout SeededRandom) {
        func put(_ text: String) {
            compact += text
            spaced += text
        }
        func space() {
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                spaced += [" ", "\n", "\t", "\r"].randomElement(using: &random)!
            }
        }
        space()
        switch Int.random(in: 0..<(depth > 5 ? 7 : 10), using: &random) {
        case 0: put("null")
        case 1: put("true")
        case 2: put("false")
        case 3: put("\(Int.random(in: -1000...1000, using: &random))")
        case 4: put("\(Int64.random(in: .min ... .max, using: &random))")
        case 5: put("\(Double.random(in: -1e9...1e9, using: &random))")
        case 6: put(string(&random))
        case 7, 8:
            put("{")
            var keys: Set<String> = []
            for index in 0..<Int.random(in: 0...(Bool.random(using: &random) ? 4 : 40), using: &random)
            where depth < 3 || index < 3 {
                let key = string(&random)
                guard keys.insert((try? JSONEntity(parsing: key).string()) ?? key).inserted else { continue }
                if keys.count > 1 { put(",") }
                space()
                put(key)
                space()
                put(":")
                generate(&compact, &spaced, depth: depth + 2, &random)
            }
            space()
            put("}")
        default:
            put("[")
            for index in 0..<Int.random(in: 0...8, using: &random) {
                if index > 0 { put(",") }
                generate(&compact, &spaced, depth: depth + 1, &random)
            }
            space()
            put("]")
        }
        space()
    }

    private func string(_ random: inout SeededRandom) -> String {
        let pieces = [
            "a", "key", "name", "Zürich", "日本", "😀", "\\n", "\\\"", "\\\\", "\\/", "\\u0041", "\\u00e9",
            "\\ud83d\\ude00", " ", "x1", "{", "]", ",",
            "12345678", "\u{7F}", "e\u{301}",
        ]
        return "\""
            + (0..<Int.random(in: 0...5, using: &random)).map { _ in pieces.randomElement(using: &random)! }.joined()
            + "\""
    }

    /// Foundation accepts a trailing comma, and other Unicode encodings, which it guesses by the first NUL bytes.
    private static func isAllowedByFoundation(_ bytes: [UInt8], _ error: NetworkError) -> Bool {
        bytes.prefix(4).contains(0) || error.message == "trailing comma"
    }

    private func isBeyondDouble(_ json: JSONEntity) -> Bool {
        json.numberText() == nil ? json.contains(where: isBeyondDouble) : json.double() == nil
    }

    private func repeatsKeys(_ json: JSONEntity) -> Bool {
        json.isObject && Set(json.keys).count != json.count || json.contains(where: repeatsKeys)
    }

    /// Whether Foundation parses a number as an integer; it parses a number with an exponent as a double and rounds it.
    private func isPlainInteger(_ json: JSONEntity) -> Bool {
        json.int() != nil && json.numberText()?.contains(where: { ".eE".contains($0) }) == false
    }

    private func agrees(_ json: JSONEntity, _ value: Any) -> Bool {
        switch value {
        case is NSNull: return json.isNull
        case let value as String: return json.string().map { Array($0.utf8) == Array(value.utf8) } == true
        case let value as [Any]: return json.count == value.count && zip(json, value).allSatisfy { agrees($0, $1) }
        case let value as [String: Any]:
            return json.isObject && json.count == value.count
                && json.allSatisfy { member in
                    value[member.key].map { agrees(json[member.key], $0) } == true
                }
        case let value as NSNumber:
            if json.numberText() == nil {
                return json.bool() == value.boolValue && json.text() == (value.boolValue ? "true" : "false")
            }
            // Foundation on Linux parses long decimals as `Decimal` and is not exact; this module is.
            guard let double = json.double(), double == json.numberText().flatMap({ Double($0) }) else { return false }
            return abs(double - value.doubleValue) <= double.ulp * 8
                && (!isPlainInteger(json) || json.int() == value.intValue)
        default: return false
        }
    }
}
