#if canImport(Glibc)
    // The variable `environ` isn't declared as safe; it is only read here.
    @preconcurrency import Glibc
#endif
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An environment in which a program runs, with its own files for different values.
///
/// The name is part of the file's name: `ApplicationConfig.debug.plist`. Any name is valid; NEIApplicationConfig had
/// `debug` and `simulator`.
public struct ConfigEnvironment: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name in file names.
    package let name: String

    /// Creates an environment.
    public init(_ name: String) { self.name = name }

    /// Creates an environment.
    public init(stringLiteral value: String) { self.init(value) }

    /// A debug build.
    public static let debug: ConfigEnvironment = "debug"
    /// Apple's simulators.
    public static let simulator: ConfigEnvironment = "simulator"

    /// The environments of this process: `debug` if the library was built for debugging, then `simulator` on a simulator.
    ///
    /// A release build has none. In a debug build on a simulator, both apply, `simulator` last.
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

    /// Files in a directory of the file system.
    public static func directory(_ path: String) -> ConfigFiles { ConfigFiles(kind: .directory(path)) }

    /// Files in memory, as bytes by name; messages contain the name.
    @_disfavoredOverload  // An empty literal is a dictionary of strings.
    package static func memory(_ files: [String: [UInt8]]) -> ConfigFiles { ConfigFiles(kind: .memory(files)) }

    /// Files in memory, as strings by name.
    public static func memory(_ files: [String: String]) -> ConfigFiles {
        ConfigFiles(kind: .memory(files.mapValues { Array($0.utf8) }))
    }
}

/// Properties of the running process.
enum ConfigProcess {
    /// The directory of the main bundle's resources, or of the executable if there are no bundles.
    static var resourceDirectory: String {
        #if canImport(Darwin)
            return Bundle.main.resourcePath ?? Bundle.main.bundlePath
        #else
            let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
            return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        #endif
    }

    /// The environment variables of the process, which each reload reads.
    static var variables: [String: String] {
        #if canImport(Glibc)
            // `ProcessInfo` takes a third of the time of a reload.
            var variables: [String: String] = [:]
            // Nil after `clearenv`.
            var next = Optional(environ)
            while let text = next?.pointee.map({ String(cString: $0) }) {
                next = next?.successor()
                guard let end = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
                variables[String(text[..<end])] = String(text.utf8[text.utf8.index(after: end)...])
            }
            return variables
        #else
            return ProcessInfo.processInfo.environment
        #endif
    }

    /// The main bundle's identifier; executables on Linux have none.
    static var bundleIdentifier: String? {
        #if canImport(Darwin)
            return Bundle.main.bundleIdentifier
        #else
            return nil
        #endif
    }
}
