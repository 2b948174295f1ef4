import AshlarNetworkingTestSupport

#if os(Linux)
    import AshlarNetworking
    import Foundation

    /// One way in which a server misbehaves, and the outcomes that a client may report.
    struct Fault: Sendable {
        let name: String
        var access = Access.path
        /// The path and query of the request, if it isn't given by the access.
        var target = "/"
        /// The error codes allowed.
        var codes: Set<NetworkError.Code> = []
        /// The body allowed, if the request may succeed.
        var body: String?
        /// Whether bytes follow the response that belong to no request.
        ///
        /// Once another request is on its way, nothing distinguishes them from its response.
        var isUnsolicited = false
        /// Performs the fault; returns whether the connection serves further requests.
        let serve: @Sendable (FaultConnection) -> Bool

        /// Every fault, in a fixed order: its index is part of the URL that requests it.
        static let all: [Fault] = plain + secure

        private static let plain =
            heads + chunks + framings + trailers + interims + redirectsAndCookies + unsolicited + cuts + silences

        // MARK: Heads and bodies

        private static let ok = "HTTP/1.1 200 OK\r\n"

        private static func raw(_ name: String, _ bytes: [UInt8], _ codes: Set<NetworkError.Code>) -> Fault {
            Fault(name: name, codes: codes) { connection in
                connection.write(bytes)
                connection.finish()
                return false
            }
        }

        private static func raw(_ name: String, _ text: String, _ codes: Set<NetworkError.Code>) -> Fault {
            raw(name, Array(text.utf8), codes)
        }

        private static let heads: [Fault] =
            BadResponseTests.cases.map { raw($0.testDescription, $0.bytes, $0.codes) }
            + ErrorCodeTests.cases.map { raw($0.testDescription, $0.bytes, [$0.code]) }

        private static let chunks: [Fault] = ["g", "-1", "1 2", "5\n", "\u{0}5", "5\r", "fffffffffffffff0", "5;\n"].map
        {
            raw(
                "chunk size \($0.debugDescription)",
                ok + "Transfer-Encoding: chunked\r\n\r\n" + $0 + "\r\nhello\r\n0\r\n\r\n", [.corrupted, .truncated])
        }

        private static func response(_ text: String, body: String = "ok") -> String {
            "HTTP/1.1 200 OK\r\n\(text)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }

        /// Sends a complete response and more on a connection that serves further requests.
        private static func open(_ name: String, _ bytes: String, body: String?, _ codes: Set<NetworkError.Code> = [])
            -> Fault
        {
            Fault(name: name, codes: codes, body: body) { connection in connection.write(bytes) }
        }

        private static let evil = "HTTP/1.1 200 EVIL\r\nContent-Length: 4\r\n\r\nevil"

        private static let framings: [Fault] = [
            open("bytes behind the length", response("") + evil, body: "ok"),
            open("a byte behind the length", response("") + "x", body: "ok"),
            open(
                "bytes behind the last chunk",
                ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n" + evil, body: "ok"),
            open(
                "a length and chunks",
                ok + "Content-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", body: "ok"),
            open("204 with a body", "HTTP/1.1 204 None\r\n\r\n" + evil, body: ""),
            open(
                "304 with a body", "HTTP/1.1 304 Same\r\nContent-Length: 4\r\n\r\nevil", body: nil,
                [.unacceptableStatus]),
            open("an interim response in front", "HTTP/1.1 103 Early\r\n\r\n" + response(""), body: "ok"),
            raw("a body up to the end of the connection", ok + "\r\n", []),
        ].map { fault in
            var fault = fault
            if fault.codes.isEmpty, fault.body == nil { fault.body = "" }
            return fault
        }

        // MARK: Trailers and interim heads

        private static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"

        /// Some versions of libcurl refuse malformed trailers, others ignore them.
        private static let trailers: [Fault] =
            [
                "X: 1", "X: 1\r\nX: 2", "Content-Length: 99", "Transfer-Encoding: chunked", "Connection: close", "X:",
                "Location: http://127.0.0.1:1/", "Set-Cookie: a=b", "X", ": 1", "X y: 1", " X: 1", "X: \u{0}",
                "HTTP/1.1 200 OK", "X: 1\r\n\u{1}: 2",
            ].map { open("trailer \($0.debugDescription)", chunked + $0 + "\r\n\r\n", body: "ok", [.corrupted]) }
            + [
                open("bytes behind a trailer", chunked + "X: 1\r\n\r\n" + evil, body: "ok"),
                open(
                    "a trailer of 201 fields", chunked + String(repeating: "X: 1\r\n", count: 201) + "\r\n",
                    body: "ok"),
                raw(
                    "a trailer of 70 KB", chunked + "X: " + String(repeating: "x", count: 70_000) + "\r\n\r\n",
                    [.badResponse, .corrupted, .truncated]),
            ]

        private static let interims: [Fault] =
            ["100 Continue", "102", "103 Early", "199 Odd"].map {
                open("interim \($0)", "HTTP/1.1 \($0)\r\nLink: </a>\r\n\r\n" + response(""), body: "ok")
            }
            + [
                open(
                    "32 interim heads", String(repeating: "HTTP/1.1 103 Early\r\n\r\n", count: 32) + response(""),
                    body: "ok"),
                open(
                    "an interim head with a length", "HTTP/1.1 103 Early\r\nContent-Length: 9\r\n\r\n" + response(""),
                    body: "ok"),
            ]
            + [
                "103 Early\r\nX", "103 Early\r\nX y: 1", "103 Early\r\nX: \u{0}",
                "103 Early\r\nX: " + String(repeating: "x", count: 70_000),
                "103 Early" + String(repeating: "\r\nX: 1", count: 201), "101 Switch\r\nUpgrade: x", "10 Short",
            ].map {
                raw(
                    "interim \($0.prefix(20).debugDescription)", "HTTP/1.1 \($0)\r\n\r\n" + response(""), [.badResponse]
                )
            }

        // MARK: Redirects and cookies

        private static let redirectsAndCookies: [Fault] =
            ["", "file:///etc/passwd", "http://", "http://a b/", "//", "http://user:x@127.0.0.1/", "\u{7F}"].map {
                location in
                raw(
                    "redirect to \(location.debugDescription)",
                    "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n",
                    [.invalidRedirect, .badResponse])
            }
            + [
                raw(
                    "redirect without a Location", "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n", [.invalidRedirect]
                ),
                raw(
                    "redirect to two places",
                    "HTTP/1.1 302 Found\r\nLocation: /a\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n",
                    [.invalidRedirect, .badResponse]),
                raw(
                    "redirect with half a body", "HTTP/1.1 302 Found\r\nLocation: \r\nContent-Length: 9\r\n\r\nx",
                    [.invalidRedirect]),
            ]
            + [
                "=", ";", "a", "=; Domain=x", "a=b; Domain=com", "a=b; Expires=never",
                String(repeating: "c=", count: 4000),
            ].map {
                cookie in
                open("cookie \(cookie.prefix(20))", response("Set-Cookie: \(cookie)\r\n"), body: "ok")
            }

        // MARK: Connections

        private static let unsolicited: [Fault] = [
            evil, "HTTP/1.1 408 Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 E", "\r\n",
            "\u{16}\u{3}\u{1}",
        ].flatMap { bytes in
            [0, 0.005].map { pause in
                Fault(name: "\(bytes.prefix(14).debugDescription) after \(pause) s", body: "ok", isUnsolicited: true) {
                    connection in
                    connection.write(response(""))
                    connection.pause(pause)
                    return connection.write(bytes)
                }
            }
        }

        private static let wholes: [(text: String, end: Int)] = [
            (ok + "Content-Length: 5\r\nX: y\r\n\r\nhello", 0),
            (ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", 1),
            ("HTTP/1.1 103 Early\r\n\r\n" + ok + "Content-Length: 5\r\n\r\nhello", 0),
            (ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n", 1),
        ]

        /// A close or a reset after each byte of a response.
        private static let cuts: [Fault] = wholes.enumerated().flatMap { index, whole in
            (0...whole.text.utf8.count).flatMap { count in
                [false, true].map { resets in
                    let isWhole = count >= whole.text.utf8.count - whole.end
                    return Fault(
                        name: "response \(index) \(resets ? "reset" : "closed") behind byte \(count)",
                        codes: count == whole.text.utf8.count && !resets ? [] : [.truncated, .connectionLost],
                        body: isWhole ? "hello" : nil
                    ) { connection in
                        connection.write(whole.text.utf8.prefix(count))
                        if resets { connection.reset() } else { connection.finish() }
                        return false
                    }
                }
            }
        }

        private static let silences: [Fault] = [
            Fault(name: "silence", codes: [.timedOut]) { connection in !connection.waitForClose() },
            Fault(name: "silence within the body", codes: [.timedOut]) { connection in
                connection.write(ok + "Content-Length: 5\r\n\r\nhe")
                return !connection.waitForClose()
            },
        ]
    }
#endif
