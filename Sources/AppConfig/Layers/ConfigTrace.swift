/// Follows one path through the layers by the rules of ``ConfigFold``.
struct ConfigTrace {
    /// The entry of one layer for the value at the path.
    struct Step {
        var contributor: ConfigFold.Contributor
        /// Whether the entry removes the weaker value instead of merging with it.
        var removes = false
        /// Whether the entry is at a path above the requested one.
        var isAbove = false
    }

    /// The entries of the value, from the weakest to the strongest; several for merged dictionaries and arrays.
    private(set) var live: [Step] = []
    /// The entries that were replaced or removed, from the weakest to the strongest.
    private(set) var shadowed: [Step] = []
    /// The last entry that removed the value.
    private(set) var removal: Step?

    private let fold: ConfigFold

    init(_ fold: ConfigFold, _ components: [ConfigPath.Component]) {
        self.fold = fold
        var steps = fold.layers.indices.map { Step(contributor: .init(layer: $0, node: fold.layers[$0].root)) }
        for (depth, component) in components.enumerated() {
            switch component {
            case .key(let key): steps = descend(steps, to: key, isRoot: depth == 0)
            case .index(let index): steps = descend(steps, to: index)
            }
        }
        settle(steps, isRoot: components.isEmpty)
    }

    /// Divides the entries of one path into current and replaced entries.
    private mutating func settle(_ steps: [Step], isRoot: Bool) {
        for step in steps {
            let effect =
                step.removes ? .removes : fold.effect(of: step.contributor, on: live.last?.contributor, isRoot: isRoot)
            if effect != .joins {
                if !live.isEmpty || removal != nil { removal = step }
                shadowed += live
                live.removeAll()
            }
            if effect == .removes { continue }
            removal = nil
            live.append(step)
        }
    }

    /// Returns the entries at a key, with the entries of this level that replace or remove them.
    private func descend(_ steps: [Step], to key: String, isRoot: Bool) -> [Step] {
        var below: [Step] = []
        var strongest: ConfigFold.Contributor?
        func remove(by node: Int, of layer: Int) {
            below.append(Step(contributor: .init(layer: layer, node: node), removes: true, isAbove: true))
        }
        for step in steps {
            let (layer, node) = (step.contributor.layer, step.contributor.node)
            if step.removes {
                remove(by: node, of: layer)
                strongest = nil
                continue
            }
            let tree = fold.layers[layer].tree
            if fold.effect(of: step.contributor, on: strongest, isRoot: isRoot) != .joins {
                remove(by: node, of: layer)
            }
            strongest = step.contributor
            guard let child = tree.child(of: node, key: key) else { continue }
            below.append(Step(contributor: .init(layer: layer, node: child), removes: tree.kind(of: child) == .null))
        }
        return below
    }

    /// Returns the entries at an index: that of one of the merged arrays, and those that set this element.
    private func descend(_ steps: [Step], to index: Int) -> [Step] {
        let removals = (steps.lastIndex { $0.removes } ?? -1) + 1
        let alive = fold.live(steps[removals...].map(\.contributor))
        let elements = fold.elements(of: alive)
        let element = elements.indices.contains(index) ? elements[index] : []
        var below: [Step] = []
        for step in steps {
            if step.removes {
                below.append(Step(contributor: step.contributor, removes: true, isAbove: true))
                continue
            }
            if alive.first.map({ $0.layer == step.contributor.layer && $0.node == step.contributor.node }) == true,
                !below.isEmpty
            {
                below.append(Step(contributor: step.contributor, removes: true, isAbove: true))
            }
            let isAlive = alive.contains { $0.layer == step.contributor.layer && $0.node == step.contributor.node }
            if isAlive {
                let own = element.filter { $0.layer == step.contributor.layer }
                below += own.map { Step(contributor: $0) }
            } else if let child = fold.layers[step.contributor.layer].tree.child(
                of: step.contributor.node, index: index)
            {
                below.append(Step(contributor: .init(layer: step.contributor.layer, node: child)))
            }
        }
        return below
    }
}
