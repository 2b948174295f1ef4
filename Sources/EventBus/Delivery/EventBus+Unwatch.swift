extension EventBus {
    /// Ends an owner's watches on this bus that match all given criteria; without criteria, all of them.
    ///
    /// A name or pattern is compared with the text of the watch, byte by byte. A name without a source also matches
    /// watches with a source, and a source without a name also matches watches with a name.
    ///
    /// - Returns: The number of watches that ended.
    /// - Complexity: O(*n*) in the number of the owner's watches.
    @discardableResult
    public func unwatch(_ name: String? = nil, from source: AnyObject? = nil, owner: some WatchOwner) -> Int {
        owner.watches.cancel { watch in
            guard watch.host.belongs(to: self) else { return false }
            if let source, watch.source != ObjectIdentifier(source) { return false }
            // `==` isn't used, because it considers the composed and decomposed form of a letter equal.
            return name.map { watch.watched.hasSameBytes(as: $0) } ?? true
        }
    }
}
