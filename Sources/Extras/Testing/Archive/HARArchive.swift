public import AshlarNetworking
public import Foundation

extension NetworkError.Code {
    /// The archive isn't valid HAR 1.2.
    public static let invalidArchive = Self(rawValue: "invalidArchive")
}

/// Recorded exchanges in HAR 1.2, the format of browsers, proxies and ``RecordingTransport``.
///
/// An archive has only what answering requests needs: method, URL, fields and body of the request, status, fields and
/// body of the response, and times. The format is the HTTP Archive format 1.2 of the W3C web performance group.
///
/// ```swift
/// import AshlarNetworking
///
/// let archive = try HARArchive(json: Array(#"""
///     {"log": {"version": "1.2", "entries": [{
///         "request": {"method": "GET", "url": "https://api.example.com/notes/1"},
///         "response": {"status": 200, "content": {"text": "{\"title\": \"Milk\"}"}}}]}}
///     """#.utf8))
/// assert(archive.entries[0].response.status == 200)
/// ```
public struct HARArchive: Hashable, Sendable {
    /// The exchanges in the order of the file.
    public var entries: [HAREntry]
    /// The entries that were omitted while reading, with their lines.
    ///
    /// Browsers record requests that they blocked or cancelled, with status 0 or -1, and URLs such as `data:` and `wss:`.
    public private(set) var warnings: [String] = []
    /// The file of the archive, if it was read from one.
    var file: String?

    /// The maximum size of an archive: 32 MiB.
    static let largest: Int = 32 << 20

    /// Creates an archive from exchanges.
    public init(_ entries: [HAREntry] = []) { self.entries = entries }

    /// Parses an archive.
    ///
    /// - Parameters:
    ///   - json: The text in UTF-8.
    ///   - file: The file name for errors.
    /// - Throws: `.invalidArchive` with `path`, `line`, `column` and `file`.
    /// - Complexity: O(*n*) in the length of the text.
    public init(json: [UInt8], file: String? = nil) throws(NetworkError) {
        let content = try HARReader(file: file).read(json)
        entries = content.entries
        warnings = content.warnings
        self.file = file
    }

    /// Reads an archive from a file; see ``init(json:file:)``.
    ///
    /// - Throws: `.fileFailed` or `.invalidArchive`, both with `file`.
    public init(contentsOfFile path: String) throws(NetworkError) {
        let json = try JSONFile.read(path, limit: Self.largest, as: .invalidArchive)
        try self.init(json: json, file: path)
    }
}

/// A recorded exchange.
public struct HAREntry: Hashable, Sendable {
    /// The time at which the request was sent, if known.
    public var started: Date?
    /// The duration of the exchange.
    public var duration: Duration
    /// The request.
    public var request: HARRequest
    /// The response.
    public var response: HARResponse
    /// The phases of the exchange, if they were measured.
    package var timings: HARTimings?
    /// The line of the entry in the file, from 1, if it was read from one.
    var line: Int?

    /// Creates an exchange.
    public init(started: Date? = nil, duration: Duration = .zero, request: HARRequest, response: HARResponse) {
        self.started = started
        self.duration = duration
        self.request = request
        self.response = response
    }
}

/// The request of a recorded exchange.
public struct HARRequest: Hashable, Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The URL; a recording has no secrets in it.
    public var url: HTTPURL
    /// The fields.
    public var headers: HTTPHeaders
    /// The body; empty if there is none.
    public var body: [UInt8]

    /// Creates a request.
    public init(_ method: HTTPMethod = .get, _ url: HTTPURL, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// The response of a recorded exchange.
public struct HARResponse: Hashable, Sendable {
    /// The status.
    public var status: Int
    /// The fields.
    public var headers: HTTPHeaders
    /// The body, decompressed.
    public var body: [UInt8]

    /// Creates a response.
    public init(status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
