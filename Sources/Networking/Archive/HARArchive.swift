public import Foundation

/// Recorded exchanges, as HAR 1.2 holds them: what browsers, proxies and ``RecordingTransport`` write.
///
/// Only what is needed to answer requests is kept: method, URL, fields and body of the request, status, fields and body
/// of the answer, and the time. Follows the HTTP Archive format 1.2 as published by the W3C web performance group.
///
/// ```swift
/// let archive = try HARArchive(json: Array(#"""
///     {"log": {"version": "1.2", "entries": [{
///         "request": {"method": "GET", "url": "https://api.example.com/notes/1"},
///         "response": {"status": 200, "content": {"text": "{\"title\": \"Milk\"}"}}}]}}
///     """#.utf8))
/// assert(archive.entries[0].response.status == 200)
/// ```
public struct HARArchive: Hashable, Sendable {
    /// The exchanges, in the order of the file.
    public var entries: [HAREntry]
    /// The file the archive was read from, if it was one.
    public var file: String?

    /// The longest archive that is read: 32 MiB.
    public static let largest: Int = 32 << 20

    /// Creates an archive of exchanges.
    public init(_ entries: [HAREntry] = []) { self.entries = entries }

    /// Reads an archive from JSON.
    ///
    /// - Parameters:
    ///   - json: The text, UTF-8.
    ///   - file: The name to use in errors.
    /// - Throws: `.invalidArchive` with `path`, `line`, `column` and `file`; the message says what was expected.
    /// - Complexity: O(*n*) in the length of the text.
    public init(json: [UInt8], file: String? = nil) throws(NetworkError) {
        entries = try HARReader(file: file).read(json)
        self.file = file
    }

    /// Reads an archive from a file; see ``init(json:file:)``.
    ///
    /// - Throws: `.fileFailed` or `.invalidArchive`, both with `file`.
    public init(contentsOfFile path: String) throws(NetworkError) {
        let json = try WholeFile.read(path, limit: Self.largest, as: .invalidArchive)
        try self.init(json: json, file: path)
    }
}

/// One recorded exchange.
public struct HAREntry: Hashable, Sendable {
    /// When the request was sent, if it is known.
    public var started: Date?
    /// How long the exchange took.
    public var duration: Duration
    /// The request.
    public var request: HARRequest
    /// The answer.
    public var response: HARResponse
    /// The line of the file where the entry stands, from 1, if it was read.
    public internal(set) var line: Int?

    /// Creates an exchange.
    public init(started: Date? = nil, duration: Duration = .zero, request: HARRequest, response: HARResponse) {
        (self.started, self.duration, self.request, self.response) = (started, duration, request, response)
    }
}

/// The request of a recorded exchange.
public struct HARRequest: Hashable, Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The URL; a recording has its secrets replaced.
    public var url: HTTPURL
    /// The fields.
    public var headers: HTTPHeaders
    /// The body; empty if there was none.
    public var body: [UInt8]

    /// Creates a request.
    public init(_ method: HTTPMethod = .get, _ url: HTTPURL, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    }
}

/// The answer of a recorded exchange.
public struct HARResponse: Hashable, Sendable {
    /// The status.
    public var status: Int
    /// The fields.
    public var headers: HTTPHeaders
    /// The body, inflated.
    public var body: [UInt8]

    /// Creates an answer.
    public init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}
