internal import AshlarCore

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The origin of a value: its entry and the entries that it overrides.
///
/// The description has a line for each entry, such as
///
/// ```text
/// http.timeout = 15
///   from ApplicationConfig.debug.plist:12 (environment debug)
///   over 30 from ApplicationConfig.plist:9 (base)
/// ```
///
/// If the value contains references, the description lists the values that they refer to:
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
    /// The value of one layer at a path.
    public struct Entry: Sendable, Hashable {
        /// The location of the value.
        public let location: ConfigLocation
        /// The kind of layer.
        public let layer: ConfigLayerKind
        /// The name of the layer, such as a file's environment or a bundle identifier's pattern.
        package let label: String
        /// The value as text, as the layer contains it, with unresolved references.
        public let text: String
        /// A note: the entry removes the value, or is at a path above it.
        package let note: String?
        /// The time at which a source obtained the value; `nil` for files and values of the process.
        package internal(set) var date: Date?
    }

    /// The path of the value.
    package let path: ConfigPath
    /// The name that the description prints instead of the path.
    var title: String?
    /// The value as text; `nil` if there is none.
    public let text: String?
    /// Whether the value is secret.
    public let isSecret: Bool
    /// Whether references built the value, so that it differs from the text of its entry.
    let isBuilt: Bool
    /// The entry that provides the value; for a merged dictionary or array, the strongest entry.
    public let winner: Entry?
    /// The entries of the other layers from which the value was merged, the strongest first.
    package let merged: [Entry]
    /// The overridden entries, the strongest first.
    public let shadowed: [Entry]
    /// The entry that removed the value.
    package let removed: Entry?
    /// The explanations of the values that the references in this value use, in the order of the references.
    ///
    /// Each value is explained once; when it occurs again, its own parts are omitted. A variable has the path
    /// `env:NAME`.
    package internal(set) var parts: [ConfigExplanation] = []

    /// The entry of the value and the overridden entries, one per line.
    public var description: String {
        func place(_ entry: Entry) -> String {
            let name = entry.label == entry.location.name ? "" : " \(entry.label)"
            let layer = entry.label == entry.layer.description ? "" : name
            let age = entry.date.flatMap { Self.age(of: $0) }.map { ", \($0) s old" } ?? ""
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
        return lines.map(\.onOneLine).joined(separator: "\n")
    }

    /// The seconds since a date; nil for a date that no clock shows.
    private static func age(of date: Date) -> Int? {
        let seconds = Date().timeIntervalSince(date)
        return abs(seconds) < 1e15 ? Int(max(0, seconds)) : nil
    }
}
