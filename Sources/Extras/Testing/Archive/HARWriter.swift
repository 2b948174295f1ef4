internal import AshlarCore
public import AshlarNetworking
import Foundation

extension HARArchive {
    /// Returns the archive as a HAR 1.2 file, indented JSON in UTF-8.
    ///
    /// UTF-8 bodies are written as text, others as Base64. The format has no encoding field for a request's body, so
    /// `_encoding` marks it. Nothing is redacted; ``RecordingTransport`` redacts entries when it creates them.
    ///
    /// - Complexity: O(*n*) in the size of the entries.
    public func bytes() -> [UInt8] {
        let creator: JSONEntity = ["name": "Ashlar", "version": "1"]
        let list = JSONEntity(array: entries.map(HARWriter.entry))
        let log = JSONEntity(object: [("version", "1.2"), ("creator", creator), ("entries", list)])
        return JSONEntity(object: [("log", log)]).bytes(indent: 2) + [0x0A]
    }

    /// Replaces a file by the archive atomically.
    ///
    /// - Throws: `.fileFailed` with `file`.
    public func write(toFile path: String) throws(NetworkError) { try JSONFile.replace(path) { bytes() } }
}

/// Writes the JSON of HAR 1.2.
enum HARWriter {
    static func entry(_ entry: HAREntry) -> JSONEntity {
        let milliseconds = number(entry.duration)
        let timings = entry.timings?.json ?? ["send": 0, "wait": milliseconds, "receive": 0]
        return JSONEntity(object: [
            ("startedDateTime", JSONEntity(text(entry.started ?? Date(timeIntervalSince1970: 0)))),
            ("time", milliseconds), ("request", request(entry.request)), ("response", response(entry.response)),
            ("cache", [:]), ("timings", timings),
        ])
    }

    private static func request(_ request: HARRequest) -> JSONEntity {
        var post = JSONEntity.missing
        if !request.body.isEmpty {
            let (body, encoding) = self.body(request.body)
            post = JSONEntity(object: [
                ("mimeType", JSONEntity(request.headers["Content-Type"] ?? "")), ("text", body),
                ("_encoding", encoding),
            ])
        }
        let query = (request.url.query ?? "").split(separator: "&").map { item in
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                PercentCoding.decode(String($0)) ?? String($0)
            }
            return JSONEntity(object: [
                ("name", JSONEntity(pair.first ?? "")), ("value", JSONEntity(pair.count > 1 ? pair[1] : "")),
            ])
        }
        return JSONEntity(object: [
            ("method", JSONEntity(request.method.rawValue)), ("url", JSONEntity(request.url.requestText)),
            ("httpVersion", "HTTP/1.1"), ("cookies", []), ("headers", headers(request.headers)),
            ("queryString", JSONEntity(array: query)), ("postData", post), ("headersSize", -1),
            ("bodySize", JSONEntity(request.body.count)),
        ])
    }

    private static func response(_ response: HARResponse) -> JSONEntity {
        let (body, encoding) = self.body(response.body)
        let content = JSONEntity(object: [
            ("size", JSONEntity(response.body.count)), ("mimeType", JSONEntity(response.headers["Content-Type"] ?? "")),
            ("text", body), ("encoding", encoding),
        ])
        return JSONEntity(object: [
            ("status", JSONEntity(response.status)), ("statusText", ""), ("httpVersion", "HTTP/1.1"), ("cookies", []),
            ("headers", headers(response.headers)), ("content", content),
            ("redirectURL", JSONEntity(response.headers["Location"] ?? "")), ("headersSize", -1), ("bodySize", -1),
        ])
    }

    private static func headers(_ headers: HTTPHeaders) -> JSONEntity {
        JSONEntity(
            array: headers.map { JSONEntity(object: [("name", JSONEntity($0.name)), ("value", JSONEntity($0.value))]) })
    }

    private static func body(_ bytes: [UInt8]) -> (text: JSONEntity, encoding: JSONEntity) {
        if let text = String(validating: bytes, as: UTF8.self) { return (JSONEntity(text), .missing) }
        return (JSONEntity(Data(bytes).base64EncodedString()), "base64")
    }

    /// Returns milliseconds with a precision of one microsecond.
    static func number(_ duration: Duration) -> JSONEntity {
        let microseconds = duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
        return (try? JSONEntity(Double(microseconds) / 1000)) ?? 0
    }

    private static func text(_ date: Date) -> String {
        // The format cuts a date that is slightly less than its milliseconds.
        date.addingTimeInterval(0.000_5).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
