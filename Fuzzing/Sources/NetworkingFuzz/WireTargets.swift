import FuzzHarness

@testable import AshlarNetworking
@testable import AshlarWebSockets

/// Input from the network: URLs, redirects, cookies, the heads of responses and the frames of WebSockets.
let wireTargets = [
    FuzzTarget("url") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        guard let url = try? HTTPURL(text) else { return }
        precondition(isClean(url.requestText), "a URL that could split a request: \(url.requestText.debugDescription)")
        guard let again = try? HTTPURL(url.requestText) else { preconditionFailure("what is sent cannot be read") }
        precondition(again.requestText == url.requestText && again.host == url.host, "what is sent is another URL")
    },
    FuzzTarget("location") { bytes in
        guard let base = try? HTTPURL("https://a.example:8443/start/here?q#f") else { preconditionFailure() }
        guard let next = try? base.resolve(location: bytes) else { return }
        precondition(isClean(next.requestText), "a redirect that could split a request: \(next.requestText)")
        let steps = next.path.split(separator: "/")
        precondition(!steps.contains(".") && !steps.contains(".."), "dots are left in \(next.path)")
        precondition((try? HTTPURL(next.requestText))?.requestText == next.requestText, "what is sent is another URL")
    },
    FuzzTarget("set-cookie") { bytes in
        guard let url = try? HTTPURL("https://www.a.example/x/y") else { preconditionFailure() }
        let jar = CookieJar(clock: { 1_700_000_000 })
        let values = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) }))
        }
        jar.store(HTTPHeaders(values.map { HTTPField("Set-Cookie", $0) }), from: url)
        for cookie in jar.cookies {
            precondition(!cookie.name.isEmpty && cookie.domain.hasSuffix("a.example"), "\(cookie)")
        }
        guard let header = jar.header(for: url) else { return }
        precondition(header.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }, header.debugDescription)
        precondition((try? HTTPHeaders([HTTPField("Cookie", header)]).validate()) != nil, header.debugDescription)
    },
    FuzzTarget("head") { bytes in
        guard let head = try? readHead(bytes) else { return }
        precondition((100...999).contains(head.status), "\(head.status)")
        for field in head.headers {
            precondition(!field.name.isEmpty && field.value.first != " " && field.value.last != " ", "\(field)")
            precondition(
                field.value.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F || $0.value == 0x09 },
                field.value.debugDescription)
        }
        precondition(Set(head.headers.list(for: "Content-Length")).count <= 1, "two lengths")
    },
    FuzzTarget("web-socket") { bytes in
        let whole = readFrames(bytes, pieces: max(bytes.count, 1))
        for size in [1, 3] {
            let pieces = readFrames(bytes, pieces: size)
            precondition(pieces == whole, "pieces of \(size): \(pieces), not \(whole)")
        }
        let message = bytes.prefix(1000)
        let frame = serverFrame(Array(message))
        precondition(
            readFrames(frame, pieces: 7) == ["message(\(binary(message)))"], "a frame of \(message.count)")
    },
]

private func binary(_ bytes: ArraySlice<UInt8>) -> String {
    "AshlarWebSockets.WebSocketMessage.binary(\(Array(bytes)))"
}

private func isClean(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }
}

/// Reads a head line by line, as libcurl delivers it.
private func readHead(_ bytes: [UInt8]) throws(NetworkError) -> ResponseHead? {
    var reader = CurlHeadReader()
    var rest = bytes[...]
    while !rest.isEmpty {
        let end = rest.firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
        let line = Array(rest[..<end])
        rest = rest[end...]
        let head = line.withUnsafeBytes { line in
            Result { () throws(NetworkError) in try reader.read(line) }
        }
        if let head = try head.get() { return head }
    }
    return nil
}

/// Reads a server's frames in pieces of a size, with messages of at most 1,000 bytes; returns the events, then the violation.
private func readFrames(_ bytes: [UInt8], pieces size: Int) -> [String] {
    var reader = WebSocketReader(limit: 1000)
    var events: [String] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
        reader.append(Array(bytes[start..<min(start + size, bytes.count)]))
        do throws(WebSocketReader.Violation) {
            while let event = try reader.next() { events.append("\(event)") }
        } catch {
            return events + ["\(error)"]
        }
    }
    return events
}

/// Returns the frame of a binary message as a server sends it, without the client's mask.
private func serverFrame(_ payload: [UInt8]) -> [UInt8] {
    // A mask of zeros leaves the payload unchanged.
    var frame = WebSocketFrame.encode(.binary, payload, mask: 0)
    let head = payload.count < 126 ? 2 : payload.count < 65_536 ? 4 : 10
    frame[1] &= 0x7F
    frame.removeSubrange(head..<(head + 4))
    return frame
}
