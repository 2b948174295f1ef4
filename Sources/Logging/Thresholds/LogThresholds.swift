/// Which levels pass: one for all, and others for contexts by prefix.
///
/// ```swift
/// let thresholds = try LogThresholds("info,net=debug,net.cache=off")
/// ```
public struct LogThresholds: Hashable, Sendable {
    /// The threshold where no context rule applies; `nil` lets nothing through.
    public var global: LogLevel?
    /// Thresholds by the first characters of a context.
    ///
    /// The longest matching prefix wins; a `nil` value lets nothing through; the empty prefix matches every context.
    public var contexts: [String: LogLevel?]

    /// Creates thresholds.
    public init(global: LogLevel? = .information, contexts: [String: LogLevel?] = [:]) {
        (self.global, self.contexts) = (global, contexts)
    }

    /// Reads a list such as `info,net=debug,*=off`, as the environment variable `ASHLAR_LOG` holds it.
    ///
    /// Each part is a level for all, or `prefix=level`; `*` stands for the empty prefix and `off` for nothing. Later
    /// parts replace earlier ones. Levels are read by ``LogLevel/init(name:)``.
    ///
    /// - Throws: ``LogError`` with ``LogError/Code/thresholdsMalformed`` for the first part that is not understood.
    public init(_ list: String) throws {
        let (read, mistakes) = Self.read(list, onto: LogThresholds())
        if let first = mistakes.first { throw first }
        self = read
    }

    /// Reads what can be read of a list and returns the rest as mistakes.
    static func read(_ list: String, onto base: LogThresholds) -> (LogThresholds, [LogError]) {
        var result = base
        var mistakes: [LogError] = []
        for part in list.split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(trimmed)
            if sides.count == 1, sides[0].isEmpty { continue }
            guard let level = Self.level(sides[sides.count - 1]), sides.count == 1 || !sides[0].isEmpty else {
                mistakes.append(
                    LogError(
                        code: .thresholdsMalformed, text: list, expected: "level or prefix=level or prefix=off",
                        found: "\"\(trimmed(part))\""))
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

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }

    /// `.some(nil)` for `off`, `nil` for what is no level.
    private static func level(_ name: String) -> LogLevel?? {
        if ["off", "none"].contains(name.lowercased()) { return .some(nil) }
        return LogLevel(name: name).map { .some($0) }
    }

    /// The threshold of a context.
    ///
    /// - Complexity: O(*n*) in the number of context rules.
    public func threshold(of context: String) -> LogLevel? {
        var best: (length: Int, level: LogLevel?)?
        for (prefix, level) in contexts where context.hasPrefix(prefix) && prefix.utf8.count >= best?.length ?? 0 {
            best = (prefix.utf8.count, level)
        }
        if let best { return best.level }
        return global
    }
}
