internal import AshlarCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A source of configuration values that a program or another package provides.
///
/// The values merge, reload, and report origins and errors like those of files. Add a source to a plan with
/// ``ConfigPlan/add(_:over:isRequired:)``.
///
/// ```swift
/// struct HostSource: ConfigSource {
///     let name = "host"
///     func content() -> ConfigSourceContent { .document(ConfigDocument(["host": ["name": "web-7"]])) }
/// }
///
/// var plan = ConfigPlan(files: .memory(["ApplicationConfig.json": #"{"title": "on ${host.name}"}"#]))
/// plan.add(HostSource())
/// print(try ApplicationConfig.load(plan).string(forKey: "title") ?? "")  // on web-7
/// ```
public protocol ConfigSource: Sendable {
    /// The name of the source in explanations and errors.
    var name: String { get }

    /// Returns the current content; each load calls it on its thread.
    ///
    /// A slow source stores its content and returns the stored content; see ``refresh()``.
    ///
    /// - Throws: Any error; the whole source is then omitted, and ``ApplicationConfig/load(_:)`` fails.
    func content() throws -> ConfigSourceContent

    /// The paths of files whose changes reload a watching store; none by default.
    var watchedPaths: [String] { get }

    /// Returns a stream with an element for each change, after which a watching store reloads; none by default.
    func changes() -> AsyncStream<Void>?

    /// Updates the content; ``ConfigStore/refresh()`` calls it.
    ///
    /// By default, it does nothing.
    func refresh() async throws
}

extension ConfigSource {
    /// No files.
    public var watchedPaths: [String] { [] }
    /// No changes.
    public func changes() -> AsyncStream<Void>? { nil }
    /// Does nothing.
    public func refresh() async throws {}
}

/// A source that reads files, and reads none that is larger than the plan permits.
///
/// The content of other sources is checked after it is read.
protocol LimitedConfigSource: ConfigSource {
    /// Returns the current content within the limits of the plan that loads it.
    func content(within limits: ConfigLimits) throws -> ConfigSourceContent
}

extension ConfigSource {
    /// The name without credentials: a source may be named by its URL.
    package var shownName: String { SecretText.redacted(name) }
}

/// The content of a source at one time.
public struct ConfigSourceContent: Sendable {
    enum Kind: Sendable {
        case bytes([UInt8], (any ConfigFormat)?)
        case document(ConfigDocument)
        case missing
    }

    let kind: Kind
    /// The location of the whole content, such as a file; the source's name if `nil`.
    package var location: ConfigLocation?
    /// Returns the time at which the source obtained or confirmed the content, from which explanations compute its age.
    package var date: (@Sendable () -> Date)?
    /// Whether the values, and every value that is built from them, are never printed.
    ///
    /// The values of other layers at the same paths aren't affected.
    public var isSecret: Bool = false

    /// Creates content from the bytes of a file in a format, by default a property list or JSON.
    public static func bytes(_ bytes: [UInt8], format: (any ConfigFormat)? = nil) -> ConfigSourceContent {
        ConfigSourceContent(kind: .bytes(bytes, format))
    }

    /// Creates content from values with positions.
    public static func document(_ document: ConfigDocument) -> ConfigSourceContent {
        ConfigSourceContent(kind: .document(document))
    }

    /// Missing content: an empty layer and a diagnostic, or an error if the source is required.
    public static var missing: ConfigSourceContent { ConfigSourceContent(kind: .missing) }

    private init(kind: Kind) { self.kind = kind }
}

extension ConfigSourceContent: CustomReflectable {
    /// A mirror without the values, which can be secret.
    public var customMirror: Mirror {
        Mirror(self, children: ["location": location as Any, "date": date?() as Any], displayStyle: .struct)
    }
}
