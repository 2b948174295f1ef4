extension EventBus {
    /// Ends an owner's watches on this bus that match all given criteria; without any, all of them.
    ///
    /// A name or pattern is compared as it was written, byte by byte. A name alone includes the watches of it that have
    /// a source, and a source alone those that have a name.
    ///
    /// - Returns: The number of watches that were live.
    /// - Complexity: O(*n*) in the number of the owner's watches.
    @discardableResult
    public func unwatch(_ name: String? = nil, from source: AnyObject? = nil, owner: some WatchOwner) -> Int {
        owner.watches.cancel { watch in
            guard watch.host.belongs(to: self) else { return false }
            if let source, watch.source != ObjectIdentifier(source) { return false }
            // Not `==` of strings, for which the composed and decomposed form of a letter are equal.
            return name.map { watch.watched.utf8.elementsEqual($0.utf8) } ?? true
        }
    }
}
