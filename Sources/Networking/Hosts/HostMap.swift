/// The environments that each canonical host of an app may be answered by: production, QA, a machine of one's own.
///
/// The form of the file is SquidKit's. What cannot be used in it is left out and named in ``warnings``, or throws where
/// `strict` asks for that. A map is a value; ``HostSwitch`` holds the choice.
///
/// ```swift
/// let map = try HostMap(json: Array(#"""
///     {"configurations": [{
///         "canonical_host": "api.example.com", "canonical_protocol": "https",
///         "release_key": "PROD", "prerelease_key": "QA",
///         "hosts": [
///             {"key": "PROD", "host": "api.example.com"},
///             {"key": "QA", "host": "qa.example.com", "protocol": "http"},
///             {"key": "localhost", "host": "localhost", "port": 8080},
///             {"key": "USER"}
///         ]}]}
///     """#.utf8))
/// assert(map.warnings.isEmpty)
/// assert(map.configurations[0].hosts[2].host == "localhost:8080")
/// ```
public struct HostMap: Hashable, Sendable {
    /// The canonical hosts with their environments, in the order of the file.
    public let configurations: [HostConfiguration]
    /// What was left out and why, in the order of the file.
    public let warnings: [HostWarning]
    /// The file the map was read from, if it was one.
    public let file: String?
    /// Where the configurations stand, by normalized canonical host.
    private let places: [String: Int]

    /// The longest map that is read: 1 MiB.
    public static let largest: Int = 1 << 20

    /// Reads a map from JSON.
    ///
    /// - Parameters:
    ///   - json: The text, UTF-8.
    ///   - file: The name to use in errors and warnings.
    ///   - strict: Whether the first thing that would be a warning throws.
    /// - Throws: `.invalidHostMap` with `line`, `column`, `path` and `file`, if the text is longer than 1 MiB, is
    ///   not JSON or is not an object; with `strict` for whatever would be a warning.
    /// - Complexity: O(*n*) in the length of the text.
    public init(json: [UInt8], file: String? = nil, strict: Bool = false) throws(NetworkError) {
        var reader = HostMapReader(file: file)
        configurations = try reader.read(json)
        places = reader.places
        warnings = reader.warnings
        self.file = file
        if strict, let first = warnings.first { throw first.networkError }
    }

    /// Reads a map from a file; see ``init(json:file:strict:)``.
    ///
    /// - Throws: `.fileFailed` or `.invalidHostMap`, both with `file`.
    public init(contentsOfFile path: String, strict: Bool = false) throws(NetworkError) {
        let json = try WholeFile.read(path, limit: Self.largest, as: .invalidHostMap)
        try self.init(json: json, file: path, strict: strict)
    }

    /// Creates a map in code, which is checked as one that is read.
    ///
    /// - Throws: `.invalidHostMap` for a host, scheme or key that a file could not have either.
    public init(_ configurations: [HostConfiguration]) throws(NetworkError) {
        try self.init(json: JSONEntity(object: [("configurations", Self.json(configurations))]).bytes(), strict: true)
    }

    /// A map of no hosts, with which every host stays itself.
    public static let empty: HostMap = HostMap()

    private init() { (configurations, warnings, file, places) = ([], [], nil, [:]) }

    /// The configuration of a canonical host, found without regard to case and a dot at the end, or nil.
    ///
    /// - Complexity: O(1).
    public subscript(canonicalHost: String) -> HostConfiguration? {
        places[HostSyntax.normalized(canonicalHost)].map { configurations[$0] }
    }

    private static func json(_ configurations: [HostConfiguration]) -> JSONEntity {
        func optional(_ text: String?) -> JSONEntity { text.map { JSONEntity($0) } ?? .missing }
        return JSONEntity(
            array: configurations.map { configuration in
                JSONEntity(object: [
                    ("canonical_host", JSONEntity(configuration.canonicalHost)),
                    ("canonical_protocol", JSONEntity(configuration.canonicalScheme)),
                    ("release_key", optional(configuration.releaseKey)),
                    ("prerelease_key", optional(configuration.prereleaseKey)),
                    (
                        "hosts",
                        JSONEntity(
                            array: configuration.hosts.map { entry in
                                JSONEntity(object: [
                                    ("key", JSONEntity(entry.key)), ("host", optional(entry.host)),
                                    ("protocol", optional(entry.scheme)),
                                ])
                            })
                    ),
                ])
            })
    }
}

/// One canonical host, the name an endpoint uses, and the environments that may stand for it.
public struct HostConfiguration: Hashable, Sendable {
    /// The name that endpoints use, as written; it may be a pure alias that no name server knows.
    public var canonicalHost: String
    /// `http` or `https`: used where neither the environment nor the endpoint names one.
    public var canonicalScheme: String
    /// The key of the environment that ``HostSwitch/chooseRelease()`` takes, or nil.
    public var releaseKey: String?
    /// The key of the environment that ``HostSwitch/choosePrerelease()`` takes, or nil.
    public var prereleaseKey: String?
    /// The environments, in the order of the file.
    public var hosts: [HostEntry]
    /// The line of the file where the configuration stands, from 1, if it was read.
    public internal(set) var line: Int?

    /// Creates a configuration.
    public init(
        canonicalHost: String, canonicalScheme: String, releaseKey: String? = nil, prereleaseKey: String? = nil,
        hosts: [HostEntry]
    ) {
        (self.canonicalHost, self.canonicalScheme, self.hosts) = (canonicalHost, canonicalScheme, hosts)
        (self.releaseKey, self.prereleaseKey) = (releaseKey, prereleaseKey)
    }

    /// The environment of a key, or nil.
    public subscript(key: String) -> HostEntry? { hosts.first { $0.key == key } }
}

/// One environment of a canonical host.
public struct HostEntry: Hashable, Sendable {
    /// What the environment is called, such as `QA`.
    public var key: String
    /// The host with its port, if it has one; nil or a pattern with `<@>` or `<#>` where it is typed at run time.
    public var host: String?
    /// `http` or `https`, or nil where the endpoint's is kept.
    public var scheme: String?
    /// The line of the file where the entry stands, from 1, if it was read.
    public internal(set) var line: Int?

    /// Creates an environment.
    public init(key: String, host: String? = nil, scheme: String? = nil) {
        (self.key, self.host, self.scheme) = (key, host, scheme)
    }

    /// Whether and how the host is typed at run time.
    public var editing: HostEditing {
        guard let host else { return .text }
        return host.contains("<#>") ? .digits : host.contains("<@>") ? .text : .none
    }
}

/// Whether and how the host of an environment is typed at run time.
public enum HostEditing: Hashable, Sendable {
    /// The host is fixed.
    case none
    /// A host or a part of one is typed.
    case text
    /// Digits are typed.
    case digits
}

/// A scheme and a host that belong together; one is never mixed with another's.
public struct ProtocolHostPair: Hashable, Sendable, CustomStringConvertible {
    /// `http` or `https`, or nil if nothing names one.
    public var scheme: String?
    /// The host with its port, if it has one.
    public var host: String

    /// Creates a pair.
    public init(scheme: String?, host: String) { (self.scheme, self.host) = (scheme, host) }

    /// The pair as the beginning of a URL, such as `https://qa.example.com:8443`.
    public var description: String { (scheme.map { $0 + "://" } ?? "") + host }
}

/// Something in a host map, or in a remembered choice, that was left out.
public struct HostWarning: Hashable, Sendable, CustomStringConvertible {
    /// What was expected and what was found.
    public var message: String
    /// The JSON path of the place, such as `$.configurations[0].hosts[2].port`.
    public var path: String
    /// The file, if it was one.
    public var file: String?
    /// The line, from 1.
    public var line: Int?
    /// The column in bytes, from 1.
    public var column: Int?

    /// File, line, column, path and message in one line.
    public var description: String {
        let place = [file, line.map(String.init), column.map(String.init)].compactMap { $0 }.joined(separator: ":")
        return (place.isEmpty ? "" : place + ": ") + "\(path): \(message)"
    }

    /// The warning as an error.
    var networkError: NetworkError {
        var error = NetworkError(.invalidHostMap, message)
        (error.path, error.file, error.line, error.column) = (path, file, line, column)
        return error
    }
}
