/// What a ``HostSwitch`` saved last, and whether a thread is saving.
struct HostSaving {
    /// A change of the stored selections.
    struct Step {
        let old: JSONEntity
        let new: JSONEntity
        let removesOthers: Bool

        /// Returns the stored selections with the switch's changes; those of other switches remain.
        func applied(to stored: JSONEntity) -> JSONEntity {
            if removesOthers || !stored.isObject { return new }
            let names = Set(new.map { HostSyntax.normalized($0.key) })
            let changed = new.filter { old[$0.key] != $0 }
            let gone = old.map { HostSyntax.normalized($0.key) }.filter { !names.contains($0) }
            let replaced = Set(changed.map { HostSyntax.normalized($0.key) } + gone)
            let others = stored.filter { !replaced.contains(HostSyntax.normalized($0.key)) }
            return JSONEntity(object: others.map { ($0.key, $0) } + changed.map { ($0.key, $0) })
        }
    }

    private var last: JSONEntity
    private var isActive = false
    /// Whether the next step removes the selections that other switches stored.
    var removesOthers = false

    init(last: JSONEntity) { self.last = last }

    /// Returns the next change to save, or nil if there is none or, at the first call, another thread is saving.
    mutating func next(current: JSONEntity, isFirst: Bool) -> Step? {
        if isFirst, isActive { return nil }
        isActive = current != last || removesOthers
        guard isActive else { return nil }
        let step = Step(old: last, new: current, removesOthers: removesOthers)
        last = current
        removesOthers = false
        return step
    }
}
