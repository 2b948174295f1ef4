/// An environment in which a program runs, for which files may contain other values.
///
/// The name is part of the file's name: `ApplicationConfig.debug.plist`. Any name is valid; `debug` and `simulator` are
/// those of the original.
public struct ConfigEnvironment: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name, as in the names of files.
    public let name: String

    /// Creates an environment.
    public init(_ name: String) { self.name = name }

    /// Creates an environment.
    public init(stringLiteral value: String) { self.init(value) }

    /// A build for debugging.
    public static let debug: ConfigEnvironment = "debug"
    /// Apple's simulators.
    public static let simulator: ConfigEnvironment = "simulator"

    /// The environments of this process: `debug` if the library was built for debugging, then `simulator` on a simulator.
    ///
    /// A release build has none. On a debug build in a simulator both apply, `simulator` last, as in the original.
    public static var current: [ConfigEnvironment] {
        var environments: [ConfigEnvironment] = []
        #if DEBUG
            environments.append(.debug)
        #endif
        #if targetEnvironment(simulator)
            environments.append(.simulator)
        #endif
        return environments
    }

    /// The name.
    public var description: String { name }
}

/// The location of a configuration's files.
public struct ConfigFiles: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case directory(String)
        case memory([String: [UInt8]])
    }

    let kind: Kind

    /// A directory of the file system.
    public static func directory(_ path: String) -> ConfigFiles { ConfigFiles(kind: .directory(path)) }

    /// Files in memory, contents by name; they are reported under their name.
    public static func memory(_ files: [String: [UInt8]]) -> ConfigFiles { ConfigFiles(kind: .memory(files)) }

    /// Files in memory: texts by name.
    public static func memory(_ files: [String: String]) -> ConfigFiles {
        ConfigFiles(kind: .memory(files.mapValues { Array($0.utf8) }))
    }

    /// The resources of the main bundle, on Linux the directory of the executable.
    public static var mainBundle: ConfigFiles { .directory(ConfigProcess.resourceDirectory) }
}
