internal import AshlarCore
public import Foundation

extension AshlarApp {
    /// Starts an app and makes it ``current``.
    ///
    /// ```swift
    /// let app = await AshlarApp.start()
    /// print(app.explain("resources"))
    /// ```
    ///
    /// The files are read off the calling actor.
    public static func start(_ configuration: Configuration = Configuration()) async -> AshlarApp {
        let app = await Task.detached { AshlarApp(configuration) }.value
        setCurrent(app)
        return app
    }

    /// Starts an app with the resources of a bundle, such as `.module`, and makes it ``current``.
    public static func start(bundle: Bundle) async -> AshlarApp {
        var configuration = Configuration()
        configuration.resources = ResourceFolder(bundle)
        return await start(configuration)
    }

    /// Starts an app, unless a required part has errors, and makes it ``current``.
    ///
    /// An optional file of a required part, such as the host map, must exist, and the host map must have an entry for a host.
    ///
    /// ```swift
    /// do {
    ///     let app = try await AshlarApp.start(requires: [.configuration])
    ///     print(app.config.current.string(forKey: "api.host") ?? "none")
    /// } catch {
    ///     print(error)
    /// }
    /// ```
    ///
    /// - Throws: ``StartupFailure`` with every error of the required parts. The log is started in this case, too.
    public static func start(
        _ configuration: Configuration = Configuration(), requires parts: Set<StartupIssue.Part>
    ) async throws(StartupFailure) -> AshlarApp {
        var configuration = configuration
        if parts.contains(.hosts) { configuration.hostMap = configuration.hostMap.required }
        let settled = configuration
        let app = await Task.detached { AshlarApp(settled) }.value
        var errors = app.issues.filter { $0.isError && parts.contains($0.part) }
        if parts.contains(.customization), app.customization.current.layers.isEmpty {
            errors.append(
                StartupIssue(.customization, "no .lproj folder with strings in \(app.resources.path)", isError: true))
        }
        let isMapRead = !errors.contains { $0.part == .hosts }
        if parts.contains(.hosts), isMapRead, app.hosts.current.map.configurations.allSatisfy(\.hosts.isEmpty) {
            errors.append(
                StartupIssue(.hosts, "the host map in \(app.resources.path) has no usable host", isError: true))
        }
        guard errors.isEmpty else { throw StartupFailure(issues: errors) }
        setCurrent(app)
        return app
    }
}

extension AshlarApp {
    /// Runs the body of a program; an error ends the process.
    ///
    /// The error is printed to the standard error, one line for each error of a ``StartupFailure``, and the exit status
    /// is 1. An error that `main` itself throws would crash the process instead.
    ///
    /// ```swift
    /// await AshlarApp.run {
    ///     let app = try await AshlarApp.start(requires: [.configuration])
    ///     print(app.explain("resources"))
    /// }
    /// ```
    nonisolated(nonsending) public static func run(_ body: nonisolated(nonsending) () async throws -> Void) async {
        do {
            try await body()
        } catch {
            let lines = "\(error)".split(separator: "\n").map { "error: \(String($0).onOneLine)\n" }
            FileHandle.standardError.write(Data(lines.joined().utf8))
            exit(1)
        }
    }
}

extension ResourceFile {
    fileprivate var required: ResourceFile {
        if case .ifPresent(let name) = self { .required(name) } else { self }
    }
}

/// An issue that an ``AshlarApp`` found during start-up.
public struct StartupIssue: Error, Sendable, CustomStringConvertible {
    /// The part of the app that an issue affects.
    public enum Part: String, Hashable, Sendable, CaseIterable {
        /// A configuration or flavor file is missing or malformed.
        case configuration
        /// The log can't write to its folder, or a threshold isn't a level.
        case log
        /// A file of strings, values or themes is missing or has errors.
        case customization
        /// The host map is missing or has errors.
        case hosts
    }

    /// The part that found the issue.
    public let part: Part
    /// The description of the issue, with file and line if it concerns a file.
    public let message: String
    /// Whether the issue is an error: something is missing or can't be read; otherwise it is a warning.
    public let isError: Bool

    package init(_ part: Part, _ cause: some Sendable, isError: Bool = false) {
        self.part = part
        message = "\(cause)"
        self.isError = isError
    }

    /// The part and the message.
    public var description: String { "\(part.rawValue): \(message)" }
}

/// The errors in required parts because of which ``AshlarApp/start(_:requires:)`` throws.
public struct StartupFailure: Error, Sendable, CustomStringConvertible {
    /// The errors of the required parts, in order.
    public let issues: [StartupIssue]

    /// The errors, one per line.
    public var description: String { issues.map(\.description).joined(separator: "\n") }
}
