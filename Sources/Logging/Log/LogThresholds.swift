internal import AshlarBase

/// The least severe levels that are written: a global threshold, and thresholds by context.
///
/// ```swift
/// let thresholds = try LogThresholds("info,net=debug,net.cache=off")
/// ```
public struct LogThresholds: Hashable, Sendable {
    /// The threshold of contexts without a rule; nil disables them.
    public var global: LogLevel?
    /// The thresholds by the first components of a context; nil disables these contexts.
    ///
    /// `net` matches `net` and `net.http`, but not `network`: a component ends at a letter, digit or `_` before any
    /// other character. The longest matching rule wins. The empty string matches every context.
    public var contexts: [String: LogLevel?]

    /// Creates thresholds.
    public init(global: LogLevel? = .info, contexts: [String: LogLevel?] = [:]) {
        self.global = global
        self.contexts = contexts
    }

    /// Parses a list such as `info,net=debug,*=off`, the form of the environment variable `ASHLAR_LOG`.
    ///
    /// Each part is a global level or `context=level`. `*` matches every context, and `off` disables a context. Later
    /// parts replace earlier ones. ``LogLevel/init(name:)`` parses levels.
    ///
    /// - Throws: An error that describes the first malformed part.
    public init(_ list: String) throws {
        let (parsed, mistakes) = Self.parse(list, onto: LogThresholds())
        if let first = mistakes.first { throw first }
        self = parsed
    }

    /// Parses the well-formed parts of a list, and returns errors for the others.
    static func parse(_ list: String, onto base: LogThresholds) -> (LogThresholds, [LogError]) {
        var result = base
        var mistakes: [LogError] = []
        for part in list.split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.trimming(\.isSpace)
            }
            if sides.count == 1, sides[0].isEmpty { continue }
            guard let level = level(sides[sides.count - 1]), sides.count == 1 || !sides[0].isEmpty else {
                mistakes.append(
                    LogError(
                        text: list, expected: "level or context=level or context=off",
                        found: "\"\(part.trimming(\.isSpace))\""))
                continue
            }
            if sides.count == 1 {
                result.global = level
            } else {
                result.contexts[sides[0] == "*" ? "" : sides[0]] = .some(level)
            }
        }
        return (result, mistakes)
    }

    /// Returns `.some(nil)` for `off`, and nil for an unknown name.
    private static func level(_ name: String) -> LogLevel?? {
        if ["off", "none"].contains(name.lowercased()) { return .some(nil) }
        return LogLevel(name: name).map { .some($0) }
    }

    /// Returns the threshold of a context.
    ///
    /// - Complexity: O(*n*) in the number of context rules.
    package func threshold(of context: String) -> LogLevel? {
        var best: (length: Int, level: LogLevel?)?
        for (rule, level) in contexts where Self.matches(rule, context) && rule.utf8.count >= best?.length ?? 0 {
            best = (rule.utf8.count, level)
        }
        if let best { return best.level }
        return global
    }

    package static func matches(_ rule: String, _ context: String) -> Bool {
        if rule == context { return true }
        guard context.hasPrefix(rule) else { return false }
        guard let last = rule.last, isWordPart(last) else { return true }
        return context.dropFirst(rule.count).first.map { !isWordPart($0) } ?? true
    }

    private static func isWordPart(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}

/// An error in a format or in a list of thresholds: which text, what was expected, and what was found.
///
/// Logging itself never throws.
package struct LogError: Error, Hashable, Sendable {
    /// The text that contains the error.
    let text: String
    /// The expected text.
    let expected: String
    /// The actual text.
    let found: String
}

extension LogError: CustomStringConvertible {
    /// The text, the expected form, and the found one.
    package var description: String { "\"\(text)\": expected \(expected), found \(found)" }
}
