// The inline watches have a second form for a pattern, which can be a literal; the other methods take `Topic(matching:)`. Other
// text becomes a pattern with `TopicPattern(parsing:)`, which throws.
extension EventBus {
    /// Watches the events of the topics that a pattern matches, with a handler that is called inside `trigger`.
    public func watch(
        _ pattern: TopicPattern, from source: AnyObject? = nil, priority: Int8 = 0, once: Bool = false,
        fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Signal<any Sendable>) throws -> Void
    ) -> Watch {
        watch(
            Topic(matching: pattern), from: source, priority: priority, once: once, fileID: fileID, line: line, handler)
    }

    /// Watches the events of the topics that a pattern matches for an owner, which the handler receives.
    @discardableResult
    public func watch<Owner: WatchOwner>(
        _ pattern: TopicPattern, from source: AnyObject? = nil, owner: Owner, priority: Int8 = 0, once: Bool = false,
        fileID: StaticString = #fileID, line: UInt32 = #line,
        _ handler: @escaping @Sendable (Owner, Signal<any Sendable>) throws -> Void
    ) -> Watch {
        watch(
            Topic(matching: pattern), from: source, owner: owner, priority: priority, once: once, fileID: fileID,
            line: line,
            handler)
    }
}
