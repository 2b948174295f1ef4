/// The environments for each canonical host of an app, such as production, QA and a developer's machine.
///
/// The file format is that of SquidKit. Invalid entries are omitted and listed in ``warnings``, or throw with `strict`.
/// A map is a value; ``HostSwitch`` manages the selection.
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
/// assert(HostSwitch(map).rows[0].rows[2].title == "localhost:8080")
/// ```
public struct HostMap: Hashable, Sendable {
    /// The canonical hosts with their environments, in the order of the file.
    package let configurations: [HostConfiguration]
    /// The omitted entries with the reasons, in the order of the file.
    public let warnings: [HostWarning]
    /// The file of the map, if it was read from one.
    package let file: String?
    /// Indexes of configurations by normalized canonical host.
    private let places: [String: Int]

    /// The canonical hosts and the fixed hosts of their environments, as ``HostSyntax/urlHost(_:)`` returns them.
    let hostNames: Set<String>

    /// The maximum size of a map: 1 MiB.
    package static let largest: Int = 1 << 20

    /// Parses a map.
    ///
    /// - Parameters:
    ///   - json: The text in UTF-8.
    ///   - file: The file name for errors and warnings.
    ///   - strict: Whether the first warning throws.
    /// - Throws: `.invalidHostMap` with `line`, `column`, `path` and `file`, if the text exceeds 1 MiB or isn't a JSON
    ///   object; with `strict`, also for any warning.
    /// - Complexity: O(*n*) in the length of the text.
    public init(json: [UInt8], file: String? = nil, strict: Bool = false) throws(NetworkError) {
        var reader = HostMapReader(file: file)
        configurations = try reader.read(json)
        places = reader.places
        warnings = reader.warnings
        hostNames = Set(
            configurations.flatMap { configuration in
                [configuration.canonicalHost]
                    + configuration.hosts.compactMap { HostPattern($0.host).editing == .none ? $0.host : nil }
            }.map(HostSyntax.urlHost))
        self.file = file
        if strict, let first = warnings.first { throw first.networkError }
    }

    /// Reads a map from a file; see ``init(json:file:strict:)``.
    ///
    /// - Throws: `.fileFailed` or `.invalidHostMap`, both with `file`.
    public init(contentsOfFile path: String, strict: Bool = false) throws(NetworkError) {
        let json = try JSONFile.read(path, limit: Self.largest, as: .invalidHostMap)
        try self.init(json: json, file: path, strict: strict)
    }

    /// A map without hosts, which leaves every host unchanged.
    package static let empty: HostMap = HostMap()

    private init() {
        configurations = []
        warnings = []
        file = nil
        places = [:]
        hostNames = []
    }

    /// Returns the configuration of a canonical host, ignoring case and a trailing dot, or nil.
    ///
    /// - Complexity: O(1).
    package subscript(canonicalHost: String) -> HostConfiguration? {
        places[HostSyntax.normalized(canonicalHost)].map { configurations[$0] }
    }
}

/// A canonical host and its environments.
package struct HostConfiguration: Hashable, Sendable {
    /// The name that endpoints use, as written in the map; it may be an alias that doesn't resolve.
    package var canonicalHost: String
    /// The scheme, `http` or `https`, used if neither the environment nor the endpoint has one.
    package var canonicalScheme: String
    /// The key of the environment for ``HostSwitch/selectRelease()``, or nil.
    package var releaseKey: String?
    /// The key of the environment for ``HostSwitch/selectPrerelease()``, or nil.
    package var prereleaseKey: String?
    /// The environments in the order of the file.
    package var hosts: [HostEntry]
    /// The line of the configuration in the file, from 1, if it was read from one.
    package var line: Int?

    /// Returns the environment with a key, or nil.
    package subscript(key: String) -> HostEntry? { hosts.first { $0.key == key } }
}

/// An environment of a canonical host.
package struct HostEntry: Hashable, Sendable {
    /// The name of the environment, such as `QA`.
    package var key: String
    /// The host with its optional port, a pattern with `<@>` or `<#>` for typed text, or nil if the whole host is
    /// typed.
    package var host: String?
    /// The scheme, `http` or `https`, or nil for that of the endpoint.
    package var scheme: String?
    /// The line of the entry in the file, from 1, if it was read from one.
    package var line: Int?

    /// The kind of text that is typed for the host at run time.
    package var editing: HostEditing {
        guard let host else { return .text }
        return host.contains("<#>") ? .digits : host.contains("<@>") ? .text : .none
    }
}

/// The kind of text that is typed for an environment's host at run time.
public enum HostEditing: Hashable, Sendable {
    /// The host is fixed.
    case none
    /// A host or part of a host is typed.
    case text
    /// Digits are typed.
    case digits
}

/// An omitted entry of a host map or of a stored selection.
public struct HostWarning: Hashable, Sendable, CustomStringConvertible {
    /// The reason, with the expected and the actual value.
    package var message: String
    /// The JSON path, such as `$.configurations[0].hosts[2].port`.
    package var path: String
    /// The file, if there is one.
    package var file: String?
    /// The line, from 1.
    package var line: Int?
    /// The column in bytes, from 1.
    package var column: Int?

    /// File, line, column, path and message in one line.
    public var description: String {
        let place = [file, line.map(String.init), column.map(String.init)].compactMap { $0 }.joined(separator: ":")
        return (place.isEmpty ? "" : place + ": ") + "\(path): \(message)"
    }

    /// The warning as an error.
    var networkError: NetworkError {
        var error = NetworkError(.invalidHostMap, message, path: path, file: file, line: line)
        error.column = column
        return error
    }
}
