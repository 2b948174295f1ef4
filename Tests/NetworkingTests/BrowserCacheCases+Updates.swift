@testable import AshlarNetworking

extension BrowserCacheCases {
    private static func text(_ response: NetworkResponse) -> String { String(decoding: response.bytes, as: UTF8.self) }

    // MARK: Conditions

    /// A stale response that the server confirms or replaces.
    private static func revalidation(
        _ name: String, _ headers: HTTPHeaders, field: String, _ expected: String, optional: Bool = false
    ) -> BrowserCacheCase {
        BrowserCacheCase(name: name, isRequired: !optional) { world in
            try await world.send(cacheAnswer(headers.merging(["Cache-Control": "max-age=1"])))
            world.wait(3)
            let response = try await world.send(cacheAnswer(headers, status: 304))
            return world.count == 2 && world.last?.headers[field] == expected && text(response) == "first"
                && response.status == 200
        }
    }

    static let conditions: [BrowserCacheCase] = [
        revalidation("conditional-etag-strong-generate", ["ETag": "\"abc\""], field: "If-None-Match", "\"abc\""),
        revalidation("conditional-etag-weak-generate-weak", ["ETag": "W/\"abc\""], field: "If-None-Match", "W/\"abc\""),
        revalidation(
            "conditional-etag-strong-generate-unquoted", ["ETag": "abc"], field: "If-None-Match", "abc", optional: true),
        revalidation(
            "conditional-lm-stale", ["Last-Modified": date(-100)], field: "If-Modified-Since", date(-100)),
        revalidation(
            "conditional-etag-precedence", ["ETag": "\"abc\"", "Last-Modified": date(-100)], field: "If-None-Match",
            "\"abc\""),
        two(
            "conditional-etag-strong-fresh", ["Cache-Control": "max-age=3600", "ETag": "\"abc\""], .reused),
        two(
            "conditional-lm-fresh", ["Cache-Control": "max-age=3600", "Last-Modified": date(-100)], .reused),
        two(
            "conditional-lm-fresh-no-lm", ["Cache-Control": "max-age=3600"], .notReused,
            second: ["If-Modified-Since": date(-100)]),
        BrowserCacheCase(name: "conditional-etag-forward") { world in
            let response = try await world.send(cacheAnswer([:], status: 304), ["If-None-Match": "\"abc\""])
            return world.last?.headers["If-None-Match"] == "\"abc\"" && response.status == 304
        },
        BrowserCacheCase(name: "conditional-etag-forward-unquoted") { world in
            try await world.send(cacheAnswer([:], status: 304), ["If-None-Match": "abc"])
            return world.last?.headers["If-None-Match"] == "abc"
        },
        BrowserCacheCase(name: "conditional-etag-vary-headers") { world in
            try await world.send(
                cacheAnswer(["Cache-Control": "max-age=1", "ETag": "\"a\"", "Vary": "X"], "one"), ["X": "1"])
            world.wait(3)
            try await world.send(
                cacheAnswer(["Cache-Control": "max-age=1", "ETag": "\"b\"", "Vary": "X"], "two"), ["X": "2"])
            world.wait(3)
            let response = try await world.send(cacheAnswer(["ETag": "\"a\""], status: 304), ["X": "1"])
            return world.last?.headers["If-None-Match"] == "\"a\"" && text(response) == "one"
        },
        BrowserCacheCase(name: "conditional-304-etag-other") { world in
            try await world.send(cacheAnswer(["Cache-Control": "max-age=1", "ETag": "\"a\""]))
            world.wait(3)
            let response = try await world.send(cacheAnswer(["ETag": "\"b\""], status: 304))
            return text(response) != "first"
        },
        BrowserCacheCase(name: "conditional-200-replaces") { world in
            try await world.send(cacheAnswer(["Cache-Control": "max-age=1", "ETag": "\"a\""]))
            world.wait(3)
            let response = try await world.send(
                cacheAnswer(["Cache-Control": "max-age=100", "ETag": "\"b\""], "second"))
            let third = try await world.send(cacheAnswer([:], "third"))
            return text(response) == "second" && text(third) == "second"
        },
    ]

    // MARK: Stored fields

    private static let stored = [
        "Test-Header": "a", "X-Test-Header": "a", "Content-Foo": "a", "X-Content-Foo": "a", "Content-Language": "en",
        "Content-Location": "/a", "Content-Security-Policy": "default-src 'self'", "Public-Key-Pins": "a",
        "X-Frame-Options": "deny", "X-XSS-Protection": "1", "Clear-Site-Data": "\"cookies\"", "Content-MD5": "a",
        "Content-Type": "text/plain;charset=utf-8", "Content-Disposition": "inline", "ETag": "\"abc\"",
        "Last-Modified": "Sun, 06 Nov 1994 08:00:00 GMT", "Link": "</a>; rel=b",
    ]

    /// The fields of a confirmed response, with their value and whether a 304 must replace the stored one.
    private static let updated = [
        "Test-Header": true, "X-Test-Header": true, "Content-Foo": true, "X-Content-Foo": true,
        "Content-Security-Policy": true, "Public-Key-Pins": true, "X-Frame-Options": true, "X-XSS-Protection": true,
        "Clear-Site-Data": true, "Expires": true, "Cache-Control": true, "Content-Length": false,
        "Content-Encoding": false, "Content-Range": false,
    ]

    private static func value(_ name: String, _ number: Int) -> String {
        switch name {
        case "Expires": CacheRules.date(1000 * number)
        case "Cache-Control": "max-age=\(number)"
        case "Content-Length": number == 1 ? "5" : "77"
        case "Content-Range": "bytes 0-4/\(number)"
        case "Content-Encoding": number == 1 ? "identity" : "x-other"
        default: "\(number)"
        }
    }

    static let updates: [BrowserCacheCase] = [storedFields, updatedFields, omittedFields, fieldsOfLists].flatMap(\.self)

    private static let storedFields: [BrowserCacheCase] = stored.sorted { $0.key < $1.key }.map { field in
        BrowserCacheCase(name: "headers-store-\(field.key)") { world in
            var headers: HTTPHeaders = ["Cache-Control": "max-age=3600"]
            headers[field.key] = field.value
            try await world.send(cacheAnswer(headers))
            let response = try await world.send(cacheAnswer([:], "second"))
            return world.count == 1 && response.headers[field.key] == field.value
        }
    }

    private static let updatedFields: [BrowserCacheCase] = updated.sorted { $0.key < $1.key }.map { field in
        let (name, isReplaced) = (field.key, field.value)
        return BrowserCacheCase(name: "304-etag-update-response-\(name)") { world in
            var (first, second): (HTTPHeaders, HTTPHeaders) = (["ETag": "\"a\""], ["ETag": "\"a\""])
            if name != "Cache-Control" { first["Cache-Control"] = "max-age=1" }
            first[name] = value(name, 1)
            second[name] = value(name, 2)
            try await world.send(cacheAnswer(first))
            world.wait(3)
            let response = try await world.send(cacheAnswer(second, status: 304))
            return world.count == 2 && response.headers[name] == value(name, isReplaced ? 2 : 1)
        }
    }

    private static let connectionFields = [
        "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Connection", "TE", "Upgrade", "Trailer",
    ]

    private static let omittedFields: [BrowserCacheCase] = connectionFields.map { name in
        BrowserCacheCase(name: "headers-omit-\(name)", isRequired: false) { world in
            var headers: HTTPHeaders = ["Cache-Control": "max-age=3600"]
            headers[name] = "a"
            try await world.send(cacheAnswer(headers))
            let response = try await world.send(cacheAnswer([:], "second"))
            return world.count == 1 && response.headers[name] == nil
        }
    }

    private static let fieldsOfLists: [BrowserCacheCase] = [
        BrowserCacheCase(name: "headers-omit-headers-listed-in-Connection") { world in
            let headers: HTTPHeaders = ["Cache-Control": "max-age=3600", "Connection": "a, b", "A": "1", "C": "2"]
            try await world.send(cacheAnswer(headers))
            let response = try await world.send(cacheAnswer([:], "second"))
            return world.count == 1 && response.headers["A"] == nil && response.headers["C"] == "2"
        },
        BrowserCacheCase(name: "headers-omit-headers-listed-in-Cache-Control-no-cache-single") { world in
            let headers: HTTPHeaders = ["Cache-Control": "max-age=3600, no-cache=\"a\"", "A": "1", "C": "2"]
            try await world.send(cacheAnswer(headers))
            let response = try await world.send(cacheAnswer([:], "second"))
            return world.count == 2 || response.headers["A"] == nil && response.headers["C"] == "2"
        },
        BrowserCacheCase(name: "headers-omit-headers-listed-in-Cache-Control-no-cache") { world in
            let headers: HTTPHeaders = ["Cache-Control": "max-age=3600, no-cache=\"a, b\"", "A": "1", "B": "2"]
            try await world.send(cacheAnswer(headers))
            let response = try await world.send(cacheAnswer([:], "second"))
            return world.count == 2 || response.headers["A"] == nil && response.headers["B"] == nil
        },
        BrowserCacheCase(name: "304-lm-use-stored-Test-Header") { world in
            let first: HTTPHeaders = [
                "Cache-Control": "max-age=1", "Last-Modified": date(-100), "Test-Header": "1",
            ]
            try await world.send(cacheAnswer(first))
            world.wait(3)
            let response = try await world.send(cacheAnswer(["Last-Modified": date(-100)], status: 304))
            return response.headers["Test-Header"] == "1" && text(response) == "first"
        },
        BrowserCacheCase(name: "304-etag-fresh-again") { world in
            try await world.send(cacheAnswer(["Cache-Control": "max-age=1", "ETag": "\"a\""]))
            world.wait(3)
            let confirmed: HTTPHeaders = ["Cache-Control": "max-age=100", "ETag": "\"a\""]
            try await world.send(cacheAnswer(confirmed, status: 304))
            world.wait(50)
            let response = try await world.send(cacheAnswer([:], "third"))
            return world.count == 2 && text(response) == "first"
        },
    ]

    // MARK: Methods, stale responses, parts

    private static func invalidation(
        _ name: String, _ method: HTTPMethod, path: String = "/", status: Int = 200, _ headers: HTTPHeaders = [:],
        removes: Bool
    ) -> BrowserCacheCase {
        BrowserCacheCase(name: name, isRequired: removes) { world in
            try await world.send(cacheAnswer(["Cache-Control": "max-age=3600"]))
            try await world.send(cacheAnswer(headers, status: status), method: method, path: path)
            try await world.send(cacheAnswer([:]))
            return (world.count == 3) == removes
        }
    }

    private static func stale(
        _ name: String, _ directives: String, _ failure: StubResponse, after seconds: Int = 3, replaces: Bool,
        optional: Bool = false
    ) -> BrowserCacheCase {
        BrowserCacheCase(name: name, isRequired: !optional) { world in
            try await world.send(cacheAnswer(["Cache-Control": directives]))
            world.wait(seconds)
            let response = try? await world.send(failure)
            return (response.map(text) == "first") == replaces
        }
    }

    private static func part(
        _ name: String, _ range: String, _ expected: String, content: String
    ) -> BrowserCacheCase {
        BrowserCacheCase(name: name, isRequired: false) { world in
            try await world.send(cacheAnswer(["Cache-Control": "max-age=3600", "ETag": "\"a\""], "01234567890"))
            let response = try await world.send(cacheAnswer([:]), ["Range": range])
            return world.count == 1 && response.status == 206 && text(response) == expected
                && response.headers["Content-Range"] == content
        }
    }

    /// A stored part, of which another request gets the same part, or the whole.
    private static func storedPart(_ name: String, isRequired: Bool, second: HTTPHeaders, isReused: Bool)
        -> BrowserCacheCase
    {
        BrowserCacheCase(name: name, isRequired: isRequired) { world in
            let headers: HTTPHeaders = [
                "Cache-Control": "max-age=3600", "Content-Range": "bytes 4-9/10", "ETag": "\"a\"",
            ]
            try await world.send(cacheAnswer(headers, status: 206, "456789"), ["Range": "bytes=4-9"])
            try await world.send(cacheAnswer([:]), second)
            return (world.count == 1) == isReused
        }
    }

    private static let lost = StubResponse.failing(NetworkError(.connectionLost))

    static let invalidations: [BrowserCacheCase] = ([.post, .put, .delete, "M-SEARCH"] as [HTTPMethod]).flatMap {
        method -> [BrowserCacheCase] in
        [
            invalidation("invalidate-\(method)", method, removes: true),
            invalidation("invalidate-\(method)-failed", method, status: 500, removes: false),
            invalidation("invalidate-\(method)-cl", method, path: "/b", ["Content-Location": "/"], removes: true),
            invalidation("invalidate-\(method)-location", method, path: "/b", ["Location": "/"], removes: true),
        ]
    }

    static let others: [BrowserCacheCase] = [
        BrowserCacheCase(name: "method-POST") { world in
            try await world.send(cacheAnswer(["Cache-Control": "max-age=3600"]), method: .post)
            try await world.send(cacheAnswer([:]), method: .post)
            return world.count == 2
        },
        BrowserCacheCase(name: "method-HEAD-reuse", isRequired: false) { world in
            try await world.send(cacheAnswer(["Cache-Control": "max-age=3600"]))
            try await world.send(cacheAnswer([:]), method: .head)
            return world.count == 1
        },
        stale("stale-close", "max-age=2", lost, replaces: false),
        stale("stale-close-must-revalidate", "max-age=2, must-revalidate", lost, replaces: false),
        stale("stale-close-no-cache", "max-age=2, no-cache", lost, replaces: false),
        stale("stale-503-must-revalidate", "max-age=2, must-revalidate", .status(503), replaces: false),
        stale("stale-sie-503", "max-age=2, stale-if-error=60", .status(503), replaces: true, optional: true),
        stale("stale-sie-close", "max-age=2, stale-if-error=60", lost, replaces: true, optional: true),
        stale("stale-sie-window", "max-age=2, stale-if-error=2", lost, after: 30, replaces: false),
        stale(
            "stale-sie-must-revalidate", "max-age=2, stale-if-error=60, must-revalidate", lost, replaces: false),
        two(
            "stale-while-revalidate-window", ["Cache-Control": "max-age=1, stale-while-revalidate=4"], .notReused,
            after: 15),
        BrowserCacheCase(name: "stale-while-revalidate", isRequired: false) { world in
            try await world.send(cacheAnswer(["Cache-Control": "max-age=1, stale-while-revalidate=60"]))
            world.wait(3)
            return text(try await world.send(cacheAnswer([:], "second"))) == "first"
        },
        two("other-authorization", ["Cache-Control": "max-age=3600"], .reused, first: ["Authorization": "FOO"]),
        two(
            "other-authorization-different", ["Cache-Control": "max-age=3600"], .notReused,
            first: ["Authorization": "FOO"], second: ["Authorization": "BAR"]),
        two("other-cookie", ["Cache-Control": "max-age=3600"], .reused, first: ["Cookie": "foo=bar"], second: [:]),
        two("other-set-cookie", ["Cache-Control": "max-age=3600", "Set-Cookie": "a=b"], .reused),
        two(
            "other-fresh-content-disposition-attachment",
            ["Cache-Control": "max-age=3600", "Content-Disposition": "attachment; filename=example.txt"], .reused),
        two(
            "other-heuristic-content-disposition-attachment",
            ["Last-Modified": date(-100_000), "Content-Disposition": "attachment; filename=example.txt"], .reused),
        BrowserCacheCase(name: "other-age-gen") { world in
            try await world.send(cacheAnswer(["Cache-Control": "max-age=3600"]))
            world.wait(3)
            return try await world.send(cacheAnswer([:])).headers["Age"] == "3"
        },
        BrowserCacheCase(name: "other-age-update-max-age") { world in
            try await world.send(cacheAnswer(["Cache-Control": "max-age=3600", "Age": "30"]))
            world.wait(3)
            return try await world.send(cacheAnswer([:])).headers.values(for: "Age") == ["33"]
        },
        BrowserCacheCase(name: "other-date-update", isRequired: true) { world in
            try await world.send(cacheAnswer(["Cache-Control": "max-age=3600", "Date": date(0)]))
            world.wait(3)
            return try await world.send(cacheAnswer([:])).headers["Date"] == date(0)
        },
        part("partial-store-complete-reuse-partial", "bytes=-2", "90", content: "bytes 9-10/11"),
        part("partial-store-complete-reuse-partial-no-last", "bytes=5-", "567890", content: "bytes 5-10/11"),
        part("partial-store-complete-reuse-partial-suffix", "bytes=0-1", "01", content: "bytes 0-1/11"),
        storedPart("partial-store-partial-not-complete", isRequired: true, second: [:], isReused: false),
        storedPart(
            "partial-store-partial-reuse-partial-other", isRequired: true, second: ["Range": "bytes=0-2"],
            isReused: false),
        storedPart(
            "partial-store-partial-reuse-partial", isRequired: false, second: ["Range": "bytes=5-6"], isReused: true
        ),
        BrowserCacheCase(name: "partial-store-partial-complete", isRequired: false) { world in
            let headers: HTTPHeaders = [
                "Cache-Control": "max-age=3600", "Content-Range": "bytes 4-9/10", "ETag": "\"a\"",
            ]
            try await world.send(cacheAnswer(headers, status: 206, "456789"), ["Range": "bytes=4-9"])
            try await world.send(cacheAnswer([:]))
            return world.last?.headers["Range"] == "bytes=0-3"
        },
    ]
}

extension HTTPHeaders {
    fileprivate func merging(_ others: HTTPHeaders) -> HTTPHeaders {
        others.reduce(into: self) { $0[$1.name] = $1.value }
    }
}
