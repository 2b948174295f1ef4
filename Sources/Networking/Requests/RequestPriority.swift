/// The order in which waiting requests start.
public enum RequestPriority: Int, Hashable, Sendable, Comparable, CaseIterable {
    /// For work that nobody waits for, such as prefetching.
    case low
    /// The default.
    case normal
    /// For work that the user waits for.
    case high

    /// Whether a priority starts later than another one.
    public static func < (a: RequestPriority, b: RequestPriority) -> Bool { a.rawValue < b.rawValue }
}
