internal import AshlarLogging
public import AshlarNetworking

/// What a report shows: logs, requests, configuration, strings, hosts, routes, services and events.
///
/// A document is a plain value; each `add` method copies what its source has at that moment. A section that wasn't added
/// isn't on the page. Secrets are hidden as their sources hide them.
///
/// ```swift
/// var document = InspectorDocument(title: "Nightly run")
/// document.addRuns(in: "/var/log/notes")
/// let page: String = try document.page()
/// ```
public struct InspectorDocument: Codable, Sendable {
    /// The heading of the page.
    public var title: String
    /// The time at which the document was created, in microseconds since 1970.
    let createdAt: Int64
    var runs: [InspectedRun]?
    /// The exchanges as a HAR file.
    var requests: JSONEntity?
    var configuration: [InspectedValue]?
    var strings: InspectedStrings?
    var hosts: [InspectedHost]?
    var routes: [InspectedRoute]?
    var services: [InspectedService]?
    var events: [InspectedEvent]?
    /// What the page of a running app needs to follow it; nil in a report.
    var live: InspectedState?

    /// Creates a document without sections.
    public init(title: String) {
        self.title = title
        createdAt = LogTime.now.nanoseconds / 1000
    }

    /// Reads a document that ``json()`` wrote.
    ///
    /// - Throws: The error of the first value that isn't as expected, with its path.
    /// - Complexity: O(*n*) in the length of the text.
    public init(json: [UInt8]) throws(NetworkError) {
        self = try JSONEntity(parsing: json).decode(InspectorDocument.self)
    }

    /// Returns the document as JSON, which `ashlar report` reads from the file `inspector.json` of a folder.
    ///
    /// - Throws: `.encodingFailed` for a document that is larger than 256 MiB.
    /// - Complexity: O(*n*) in the size of the sections.
    public func json() throws(NetworkError) -> [UInt8] { try JSONEntity(encoding: self).bytes() }

    /// Whether no section has been added.
    public var isEmpty: Bool {
        runs == nil && requests == nil && configuration == nil && strings == nil && hosts == nil && routes == nil
            && services == nil && events == nil
    }
}
