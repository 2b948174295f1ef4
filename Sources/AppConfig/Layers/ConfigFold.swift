/// The rules that determine one value from the values of several layers at a path.
///
/// The merge is a strict left fold: each layer is merged with the result of all weaker layers. The merger applies the
/// rules to every path, and an explanation applies them to one path.
struct ConfigFold {
    /// The value of one layer at a path.
    struct Contributor {
        var layer: Int
        var node: Int
    }

    /// The effect of a stronger value on the weaker values.
    enum Effect {
        /// Both values are parts of the result.
        case joins
        case replaces
        /// The value replaces a value of another type.
        case conflicts
        /// The value is `null`, which removes the key.
        case removes
    }

    let layers: [ConfigLayer]
    let policy: ConfigMergePolicy

    init(_ layers: [ConfigLayer], policy: ConfigMergePolicy) {
        self.layers = layers
        self.policy = policy
    }

    /// Returns the effect of a value on the weaker values, of which `below` is the strongest.
    func effect(of next: Contributor, on below: Contributor?, isRoot: Bool = false) -> Effect {
        let tree = layers[next.layer].tree
        let kind = tree.kind(of: next.node)
        if kind == .null { return .removes }
        if !mergesDeeply(next.layer) { return isRoot ? .joins : .replaces }
        if setsElements(next) { return below.map { hasElements($0) } ?? true ? .joins : .conflicts }
        let isDictionary = kind == .dictionary
        if let below, (isDictionary || self.isDictionary(below)) && isDictionary != self.isDictionary(below) {
            return .conflicts
        }
        if !isDictionary { return .replaces }
        return tree.nodes[next.node].flags.contains(.replaces) ? .replaces : .joins
    }

    /// Returns the values that form the result: one value, several dictionaries, or an array and its elements.
    ///
    /// `onConflict` is called with a value and the stronger value of another type that replaces it.
    func live(
        _ contributors: [Contributor], isRoot: Bool = false,
        onConflict: (_ below: Contributor, _ above: Contributor) -> Void = { _, _ in }
    ) -> [Contributor] {
        var live: [Contributor] = []
        for next in contributors {
            let effect = effect(of: next, on: live.last, isRoot: isRoot)
            if effect == .conflicts, let below = live.last { onConflict(below, next) }
            if effect != .joins { live.removeAll() }
            if effect != .removes { live.append(next) }
        }
        return live
    }

    /// Returns the values of each element of an array, with those that stronger layers set.
    func elements(of live: [Contributor]) -> [[Contributor]] {
        var elements: [[Contributor]] = []
        for contributor in live {
            let tree = layers[contributor.layer].tree
            let isArray = tree.kind(of: contributor.node) == .array
            for child in tree.children(of: contributor.node) {
                let element = Contributor(layer: contributor.layer, node: child)
                if !isArray, let index = Int(tree.key(of: child)), index < elements.count {
                    elements[index].append(element)
                } else {
                    elements.append([element])
                }
            }
        }
        return elements
    }

    /// Whether a dictionary sets elements of a weaker array.
    func setsElements(_ contributor: Contributor) -> Bool {
        layers[contributor.layer].tree.nodes[contributor.node].flags.contains(.elements)
    }

    /// Whether the dictionaries of a layer merge at every depth.
    ///
    /// A variable or an argument sets single values with every policy; otherwise it would remove the values next to them.
    private func mergesDeeply(_ layer: Int) -> Bool {
        policy.isDeep || layers[layer].kind == .variables || layers[layer].kind == .arguments
    }

    func isDictionary(_ contributor: Contributor) -> Bool {
        layers[contributor.layer].tree.kind(of: contributor.node) == .dictionary && !setsElements(contributor)
    }

    private func hasElements(_ contributor: Contributor) -> Bool {
        layers[contributor.layer].tree.kind(of: contributor.node) == .array || setsElements(contributor)
    }
}
