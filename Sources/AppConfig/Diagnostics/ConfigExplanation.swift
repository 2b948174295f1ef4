/// The origin of a value: the entry that gives it and the entries that it overrides.
///
/// The description has a line for each, such as
///
/// ```text
/// http.timeout = 15
///   from ApplicationConfig.debug.plist:12 (environment debug)
///   over 30 from ApplicationConfig.plist:9 (base)
/// ```
///
/// Values of secret paths are `<redacted>` here and in the entries.
public struct ConfigExplanation: Sendable, CustomStringConvertible {
    /// The entry of one layer.
    public struct Entry: Sendable, Hashable {
        /// The place of the value.
        public let origin: ConfigOrigin
        /// The kind of layer.
        public let layer: ConfigLayerKind
        /// The layer's own name, such as a file's environment or a bundle identifier's pattern.
        public let label: String
        /// The value as text, as the layer wrote it: before `${…}` were resolved.
        public let text: String
        /// A note: the entry removed the value, or is at a path above it.
        public let note: String?
    }

    /// The path of the value.
    public let path: ConfigPath
    /// The value as text; `nil` if there is none.
    public let text: String?
    /// Whether the value is secret.
    public let isSecret: Bool
    /// The value was built from others by references, so that the winner's text is not the value's.
    let isBuilt: Bool
    /// The entry that gives the value; for a merged dictionary or array, the strongest of them.
    public let winner: Entry?
    /// The other layers whose entries the value was merged from, the strongest first.
    public let merged: [Entry]
    /// The entries that the winner overrides, the strongest first.
    public let shadowed: [Entry]
    /// The entry that removed the value.
    public let removed: Entry?

    /// Winner and shadowed values, a line each.
    public var description: String {
        func place(_ entry: Entry) -> String {
            let name = entry.label == entry.origin.name ? "" : " \(entry.label)"
            let layer = entry.label == entry.layer.description ? "" : name
            return "\(entry.origin) (\(entry.layer)\(layer)\(entry.note.map { ", \($0)" } ?? ""))"
        }
        var lines = ["\(path) = \(text ?? "nothing")"]
        if let removed { lines.append("  removed by \(place(removed))") }
        if let winner {
            let template = isBuilt && !isSecret ? ", written \(winner.text)" : ""
            lines.append("  from \(place(winner))\(template)")
        }
        lines += merged.map { "  merged with \(place($0))" }
        lines += shadowed.map { "  over \($0.text) from \(place($0))" }
        return lines.joined(separator: "\n")
    }
}

/// Follows one path through the layers, as the merger does.
struct ConfigExplainer {
    struct Contribution {
        var layer: Int
        var node: Int
        /// The entry removes the lower value instead of replacing it.
        var removes = false
        /// The entry is at a path above the requested one.
        var isAbove = false
    }

    let layers: [ConfigLayer]
    let policy: ConfigMergePolicy
    let readsDirectives: Bool
    /// Those that give the value, from the weakest to the strongest; several for merged dictionaries and lists.
    private(set) var live: [Contribution] = []
    /// Those that were replaced or removed, from the weakest to the strongest.
    private(set) var shadowed: [Contribution] = []
    /// The entry that removed the value last.
    private(set) var removal: Contribution?

    init(
        _ layers: [ConfigLayer], _ components: [ConfigPath.Component], policy: ConfigMergePolicy, readsDirectives: Bool
    ) {
        self.layers = layers
        self.policy = policy
        self.readsDirectives = readsDirectives && policy.isDeep
        for layer in layers.indices { visit(layer, components) }
    }

    private mutating func shadow(by contribution: Contribution?) {
        shadowed += live
        if !live.isEmpty || removal != nil { removal = contribution }
        live.removeAll()
    }

    private mutating func visit(_ number: Int, _ components: [ConfigPath.Component]) {
        let tree = layers[number].tree
        let hasDirectives = readsDirectives && tree.hasDirectives
        var node = layers[number].root
        for (depth, component) in components.enumerated() {
            guard case .key(let key) = component else {
                // Arrays are replaced whole: an element belongs to the layer whose array it is in.
                guard case .index(let index) = component, let child = tree.child(of: node, index: index) else { return }
                node = child
                continue
            }
            if hasDirectives {
                if let flag = tree.child(of: node, key: ConfigDirectives.replace),
                    ConfigDirectives.replaces(node, tree)
                {
                    shadow(by: Contribution(layer: number, node: flag, removes: true, isAbove: true))
                }
                if ConfigDirectives.unset(node, tree).contains(key),
                    let list = tree.child(of: node, key: ConfigDirectives.unset)
                {
                    shadow(by: Contribution(layer: number, node: list, removes: true, isAbove: true))
                }
            }
            guard let child = tree.child(of: node, key: key), !(hasDirectives && tree.isDirective(child)) else {
                return
            }
            let isLast = depth + 1 == components.count
            let kind = tree.kind(of: child)
            if kind == .null {
                shadow(by: Contribution(layer: number, node: child, removes: true, isAbove: !isLast))
                return
            }
            if !isLast {
                let isDictionary = kind == .dictionary && !isList(number, child)
                let isShallow = !policy.isDeep && depth == 0
                if isShallow || !isDictionary {
                    shadow(by: Contribution(layer: number, node: child, removes: true, isAbove: true))
                }
                if isShallow ? kind.isContainer : isDictionary || kind == .array {
                    node = child
                    continue
                }
                return
            }
            node = child
        }
        reach(Contribution(layer: number, node: node))
    }

    private func isList(_ layer: Int, _ node: Int) -> Bool {
        readsDirectives && ConfigDirectives.isList(node, layers[layer].tree)
    }

    private func isDictionary(_ contribution: Contribution) -> Bool {
        layers[contribution.layer].tree.kind(of: contribution.node) == .dictionary
            && !isList(contribution.layer, contribution.node)
    }

    private mutating func reach(_ next: Contribution) {
        let tree = layers[next.layer].tree
        if let last = live.last {
            let isMerged: Bool
            if !policy.isDeep {
                isMerged = next.node == layers[next.layer].root
            } else if isList(next.layer, next.node) {
                isMerged =
                    layers[last.layer].tree.kind(of: last.node) == .array || isList(last.layer, last.node)
            } else {
                let replaces = readsDirectives && ConfigDirectives.replaces(next.node, tree)
                isMerged = isDictionary(next) && isDictionary(last) && !replaces
            }
            if !isMerged { shadow(by: next) }
        }
        removal = nil
        live.append(next)
    }
}
