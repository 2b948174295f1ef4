internal import AshlarCore

/// A file at any path, in any format.
///
/// ```swift
/// var plan = ConfigPlan(files: .memory(["ApplicationConfig.json": "{}"]))
/// plan.add(FileConfigSource("/etc/acme/overrides.jsonc", format: JSONWithCommentsFormat()))
/// ```
public struct FileConfigSource: ConfigSource, LimitedConfigSource {
    private let path: String
    private let format: (any ConfigFormat)?

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - path: The path of the file, which doesn't have to exist unless the plan requires it.
    ///   - format: The format of the file; `nil` for a property list or JSON.
    public init(_ path: String, format: (any ConfigFormat)? = nil) {
        self.path = path
        self.format = format
    }

    /// The name of the file without its folder.
    public var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The path of the file.
    public var watchedPaths: [String] { [path] }

    /// Reads the file within the default limits.
    public func content() throws -> ConfigSourceContent { try content(within: ConfigLimits()) }

    func content(within limits: ConfigLimits) throws -> ConfigSourceContent {
        let location = ConfigLocation(file: path, name: name)
        guard let bytes = try ConfigFileReading.bytes(of: location, limit: limits.bytes) else { return .missing }
        var content = ConfigSourceContent.bytes(bytes, format: format)
        content.location = location
        return content
    }
}

/// Reads whole files.
enum ConfigFileReading {
    /// Returns the bytes of a file, or nil if it is missing.
    static func bytes(of file: ConfigLocation, limit: Int) throws(ConfigError) -> [UInt8]? {
        do throws(FileFailure) {
            return try WholeFile.read(file.file, limit: limit)
        } catch {
            if error.isMissing { return nil }
            let reason =
                switch error.reason {
                case .tooLarge: "larger than \(limit) bytes"
                case .notRegular, .foreign: "not a regular file"
                default: error.description
                }
            throw ConfigError(.unreadableSource, location: file, reason: "can't read the file: \(reason)")
        }
    }
}
