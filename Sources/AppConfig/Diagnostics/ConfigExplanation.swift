#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The location of a value: the entry that gives it and the entries that it overrides.
///
/// The description has a line for each, such as
///
/// ```text
/// http.timeout = 15
///   from ApplicationConfig.debug.plist:12 (environment debug)
///   over 30 from ApplicationConfig.plist:9 (base)
/// ```
///
/// A value that references built lists the values that it was built from:
///
/// ```text
/// url = "https://example.org/"
///   from ApplicationConfig.plist:7 (base), written "https://${host}/"
///     host = "example.org"
///       from ApplicationConfig.plist:3 (base)
/// ```
///
/// Values of secret paths are `<redacted>` here and in the entries.
public struct ConfigExplanation: Sendable, CustomStringConvertible {
    /// The entry of one layer.
    public struct Entry: Sendable, Hashable {
        /// The place of the value.
        public let location: ConfigLocation
        /// The kind of layer.
        public let layer: ConfigLayerKind
        /// The layer's own name, such as a file's environment or a bundle identifier's pattern.
        public let label: String
        /// The value as text, as the layer wrote it: before `${…}` were resolved.
        public let text: String
        /// A note: the entry removed the value, or is at a path above it.
        public let note: String?
        /// The time at which a source obtained the value; `nil` for files and values of the process.
        public internal(set) var date: Date?
    }

    /// The path of the value.
    public let path: ConfigPath
    /// The name that the description prints in place of the path.
    var title: String?
    /// The value as text; `nil` if there is none.
    public let text: String?
    /// Whether the value is secret.
    public let isSecret: Bool
    /// The value was built from others by references, so that the winner's text is not the value's.
    let isBuilt: Bool
    /// The entry that gives the value; for a merged dictionary or array, the strongest of them.
    public let winner: Entry?
    /// The other layers whose entries the value was merged from, the strongest first.
    public let merged: [Entry]
    /// The entries that the winner overrides, the strongest first.
    public let shadowed: [Entry]
    /// The entry that removed the value.
    public let removed: Entry?
    /// The explanations of the values that references built this value from, in the order of the references.
    ///
    /// Each value is explained once; where it occurs again, its own parts are left out. A variable has the path
    /// `env:NAME`.
    public internal(set) var parts: [ConfigExplanation] = []

    /// Winner and shadowed values, a line each.
    public var description: String {
        func place(_ entry: Entry) -> String {
            let name = entry.label == entry.location.name ? "" : " \(entry.label)"
            let layer = entry.label == entry.layer.description ? "" : name
            let age = entry.date.map { ", \(max(0, Int(Date().timeIntervalSince($0)))) s old" } ?? ""
            return "\(entry.location) (\(entry.layer)\(layer)\(entry.note.map { ", \($0)" } ?? "")\(age))"
        }
        var lines = ["\(title ?? path.description) = \(text ?? "nothing")"]
        if let removed { lines.append("  removed by \(place(removed))") }
        if let winner {
            let template = isBuilt && !isSecret ? ", written \(winner.text)" : ""
            lines.append("  from \(place(winner))\(template)")
        }
        lines += merged.map { "  merged with \(place($0))" }
        for part in parts { lines += part.description.split(separator: "\n").map { "    " + $0 } }
        lines += shadowed.map { "  over \($0.text) from \(place($0))" }
        return lines.joined(separator: "\n")
    }
}
