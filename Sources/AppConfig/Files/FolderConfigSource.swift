internal import AshlarCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A folder with one file for each key, such as a secret or config map of Kubernetes, or the secrets of Docker.
///
/// The name of a file is the path of the key (`password`, `http.timeout`), and its text without the final newline is
/// the value. Strings contain no references. Names that begin with a dot, folders, and special files are ignored. A
/// file that isn't UTF-8 text is data.
///
/// If the folder has a link `..data`, as in volumes of Kubernetes, all files are read from the link's target, so values
/// of two versions never mix. A watching store detects a replaced link and a new, changed, or removed file.
///
/// Each file has at most the `bytes` of the plan's ``ConfigLimits``, and the folder at most their `values` files.
///
/// ```swift
/// var plan = ConfigPlan(files: .memory(["ApplicationConfig.json": #"{"db": {"user": "app"}}"#]))
/// plan.add(FolderConfigSource("/run/secrets", under: "db"))
/// ```
public struct FolderConfigSource: ConfigSource, LimitedConfigSource {
    private let path: String
    private let section: ConfigPath
    private let isSecret: Bool

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - path: The path of the folder, which doesn't have to exist unless the plan requires it.
    ///   - section: The path of the dictionary for the values; by default the root.
    ///   - isSecret: Whether the values are never printed; by default, if the path has a folder that is named for
    ///     secrets, such as `/run/secrets` or `/etc/acme/db-secret`.
    public init(_ path: String, under section: ConfigPath = .root, isSecret: Bool? = nil) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        self.section = section
        self.isSecret =
            isSecret
            ?? path.split(separator: "/").contains { folder in
                SecretNames.words(of: String(folder)).contains { ["secret", "secrets", "credentials"].contains($0) }
            }
    }

    /// The path of the folder.
    public var name: String { path }

    /// The folder, its link, and its files.
    public var watchedPaths: [String] { ["\(path)/", "\(path)/..data"] + files(in: path).map { "\(path)/\($0)" } }

    /// Reads the files within the default limits.
    ///
    /// - Throws: ``ConfigError`` if a file can't be read, or if one file is a value and another an entry of it.
    /// - Complexity: O(*n* log *n*) in the number of files.
    public func content() throws -> ConfigSourceContent { try content(within: ConfigLimits()) }

    func content(within limits: ConfigLimits) throws -> ConfigSourceContent {
        // Replacing the link removes the old folder, possibly before all of its files are read.
        for _ in 0..<20 {
            let data = "\(path)/..data"
            let folder = Self.target(of: data)
            guard let document = try document(in: folder ?? path, limits) else { continue }
            if Self.target(of: data) == folder {
                guard FolderListing.names(in: path) != nil else { return .missing }
                var content = ConfigSourceContent.document(document)
                content.isSecret = isSecret
                return content
            }
        }
        throw ConfigError(
            .unreadableSource, location: ConfigLocation(file: path), reason: "the folder changes while it is read")
    }

    /// Returns the target of a link; nil if there is no link.
    private static func target(of link: String) -> String? {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: link)).map { target in
            target.hasPrefix("/") ? target : link.prefix(through: link.lastIndex(of: "/") ?? link.startIndex) + target
        }
    }

    private func files(in folder: String) -> [String] {
        (FolderListing.names(in: folder) ?? []).filter { name in
            !name.hasPrefix(".") && FileStatus("\(folder)/\(name)")?.kind == .regular
        }
    }

    /// Returns the files with their paths, the elements of an array in their order.
    private func paths(in folder: String) -> [(name: String, path: ConfigPath)] {
        files(in: folder).map { (name: $0, path: ConfigPath($0)) }.sorted { ConfigPath.precedes($0.path, $1.path) }
    }

    /// Returns the values of a folder; nil if a file disappeared.
    private func document(in folder: String, _ limits: ConfigLimits) throws(ConfigError) -> ConfigDocument? {
        var assignments = ConfigAssignments()
        var values: Set<[ConfigPath.Component]> = []
        var sections: Set<[ConfigPath.Component]> = []
        for (name, key) in paths(in: folder) {
            let steps = section.components + key.components
            let location = ConfigLocation(file: "\(path)/\(name)", name: name)
            let file = ConfigLocation(file: "\(folder)/\(name)", name: name)
            guard values.count < limits.values else {
                throw ConfigError(
                    .limitExceeded, location: ConfigLocation(file: path), expected: "at most \(limits.values) files")
            }
            guard let bytes = try ConfigFileReading.bytes(of: file, limit: limits.bytes) else { return nil }
            let outer = steps.indices.map { Array(steps[..<$0]) }
            let clash = sections.contains(steps) || values.contains(steps) ? steps : outer.first { values.contains($0) }
            guard steps.first?.key != nil, clash == nil else {
                throw ConfigError(
                    .malformedSource, key: ConfigPath(steps), location: location,
                    reason: "the name is not a path of its own", notes: clash.map { ["like \(ConfigPath($0))"] } ?? [])
            }
            values.insert(steps)
            sections.formUnion(outer)
            try assignments.set(Self.value(bytes), at: steps, from: location)
        }
        var document = ConfigDocument(assignments.tree(of: ConfigLocation(file: path)))
        document.isLiteral = true
        return document
    }

    private static func value(_ bytes: [UInt8]) -> ConfigValue {
        if UTF8Validation.firstInvalid(in: bytes) != nil { return .data(Data(bytes)) }
        var text = bytes[...]
        if text.last == UInt8(ascii: "\n") { text.removeLast() }
        if text.last == UInt8(ascii: "\r") { text.removeLast() }
        return .string(String(decoding: text, as: UTF8.self))
    }
}
