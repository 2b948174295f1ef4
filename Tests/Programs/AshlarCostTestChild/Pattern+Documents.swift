import AshlarCore
import AshlarEventBus
import AshlarNetworking
import AshlarTesting
import AshlarTrees

extension Pattern {
    /// Documents of several modules, and URLs.
    static let documents: [Pattern] = [
        json("JSON: members", #""k#": #"#, in: "{}"),
        json("JSON: one key again and again", #""k": #"#, in: "{}"),
        json("JSON: escapes in a string", #"\u0041\n"#, separator: "", in: "[]", quote: "\""),
        json("JSON: digits of a number", "17", separator: "", in: "[]"),
        json("JSON: containers that don't end", "[", separator: "", in: ["", ""]),
        json("JSON: empty containers", "[{}]", in: "[]"),
        xml("property list: members", "<key>k#</key><string>v</string>"),
        xml("property list: one key again and again", "<key>k</key><string>v</string>"),
        xml("property list: elements that don't end", "<array>"),
        xml("property list: character references", "<key>k</key><string>&#65;&amp;</string>", numbered: false),
        xml("property list: comments", "<!-- - -- -->", numbered: false),
        Pattern("property list: binary, shared containers", 1) { _ in
            let document = sharedContainers(60)
            return { _ = try? BinaryPropertyListParser.parse(document) }
        },
        Pattern("secrets: words and separators", 60) { size in
            let text = repeated("password=a&token: b, {\"api_key\":\"c\"} user:p@h ", size)
            return { _ = SecretText.redacted(text) }
        },
        Pattern("secrets: openings without ends", 150) { size in
            let text = repeated("\"{'[(Bearer =:", size)
            return { _ = SecretText.redacted(text) }
        },
        url("URL: labels", "https://", "a.", "a/"),
        url("URL: escapes", "https://a/", "%41%2f", ""),
        url("URL: dot segments", "https://a/", "b/../.././", ""),
        url("URL: query", "https://a/?", "a=b&", ""),
        Pattern("route: pattern", 40) { size in
            let text = "/" + repeated("p#/:v#", size, separator: "/")
            return { _ = try? RoutePattern(text) }
        },
        Pattern("route: patterns", 40) { size in
            let patterns = (0..<size).flatMap { ["/p\($0)/:a/x", "/:a/q\($0)/**"] }
            return { _ = try? RouteTable(patterns) }
        },
        Pattern("route: URL of many segments", 100) { size in
            let table = try? RouteTable(["/:a/**", "/**", "/a/:b/**"])
            let url = "/" + repeated("a", size, separator: "/")
            return { _ = try? table?.match(url) }
        },
        Pattern("HAR: entries", 8) { size in
            let entry = """
                {"startedDateTime": "2026-01-01T00:00:00Z", "time": 1, "request": {"method": "GET", "url": "https://a/#",
                "headers": [{"name": "a", "value": "b"}]}, "response": {"status": 200, "headers": [], "content": {}}}
                """
            let text = #"{"log": {"version": "1.2", "entries": ["# + repeated(entry, size, separator: ",") + "]}}"
            return { _ = try? HARArchive(json: text.bytes) }
        },
    ]

    private static func json(
        _ name: String, _ part: String, separator: String = ",", in ends: String, quote: String = ""
    ) -> Pattern {
        json(name, part, separator: separator, in: ends.map(String.init), quote: quote)
    }

    private static func json(
        _ name: String, _ part: String, separator: String = ",", in ends: [String], quote: String = ""
    ) -> Pattern {
        Pattern(name, 150) { size in
            let text = ends[0] + quote + repeated(part, size, separator: separator) + quote + ends[1]
            return {
                let value = try? JSONEntity(parsing: text.bytes)
                _ = value?[0].double()
            }
        }
    }

    private static func xml(_ name: String, _ part: String, numbered: Bool = true) -> Pattern {
        Pattern(name, 60) { size in
            let text =
                "<?xml version=\"1.0\"?><plist><dict>" + repeated(part, size, numbered: numbered) + "</dict></plist>"
            return { _ = try? XMLPropertyListParser.parse(text.bytes) }
        }
    }

    private static func url(_ name: String, _ head: String, _ part: String, _ tail: String) -> Pattern {
        Pattern(name, 200) { size in
            let text = head + repeated(part, size) + tail
            return { _ = try? HTTPURL(text) }
        }
    }

    /// Arrays that contain the next one twice.
    private static func sharedContainers(_ depth: Int) -> [UInt8] {
        var bytes = "bplist00".bytes
        var offsets: [UInt8] = []
        for number in 0..<UInt8(clamping: min(depth, 200)) {
            offsets.append(UInt8(clamping: bytes.count))
            bytes += [0xA2, number + 1, number + 1]
            if bytes.count > 200 { break }
        }
        offsets.append(UInt8(clamping: bytes.count))
        bytes += [0x09]
        let table = bytes.count
        bytes += offsets
        bytes += [0, 0, 0, 0, 0, 0, 1, 1]
        for value in [offsets.count, 0, table] {
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
        }
        return bytes
    }
}
