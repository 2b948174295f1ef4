/// The routes of one router as a tree of segments, flat in arrays.
///
/// The static children of all nodes share one open-addressing table with the key (parent, hash of the segment), so
/// finding a child takes the same time in a table of ten routes and of a hundred thousand. Each node has its own
/// parameters: a list of typed parameters and parameters with text, sorted by `RouteRank`; then the plain parameter;
/// then the catch-all.
///
/// The scheme and the host are two more segments, under a separate root.
struct RouteTree: Sendable {
    /// A node of the tree: its text, and the possible next segments.
    struct Node {
        /// The first eight bytes of the text, so that short strings are compared without another load.
        var head: UInt64 = 0
        var textStart: UInt32 = 0
        var textLength: UInt16 = 0
        var hasStatics = false
        /// The target of a path that ends here, or -1.
        var leaf: Int32 = -1
        /// The child of a plain parameter, or -1.
        var plain: Int32 = -1
        /// The target of a catch-all that starts here, or -1.
        var catchAll: Int32 = -1
        /// The first typed parameter or parameter with text, or -1.
        var edges: Int32 = -1
    }

    /// An entry in the table of static children; child 0, the root, marks a free entry.
    struct Slot {
        var key: UInt64 = 0
        var child: Int32 = 0
        var parent: Int32 = 0
    }

    /// A typed parameter or parameter with text; its prefix and suffix are adjacent in the text.
    struct Edge {
        var child: Int32
        var next: Int32
        var textStart: UInt32
        var prefix: UInt16
        var suffix: UInt16
        /// The number of the type, or -1.
        var type: Int32
        /// The type's rule if it is built in.
        var rule: RouteParameterType.BuiltIn
        /// Whether the parameter is one label of a host.
        var isHost: Bool
    }

    /// A place for a target: the end of a sequence of segments, or a catch-all.
    struct Place: Equatable {
        var node: Int32
        var isCatchAll: Bool
    }

    static let root: Int32 = 0
    static let authorityRoot: Int32 = 1

    let routerOptions: RouterOptions
    let options: RouteTreeOptions
    let limits: RouteLimits
    private(set) var types: [RouteParameterType]
    private(set) var nodes = [Node(), Node()]
    private(set) var edges: [Edge] = []
    /// The ranks of the edges.
    private var ranks: [RouteRank] = []
    private(set) var text: [UInt8] = []
    private(set) var slots = [Slot](repeating: Slot(), count: 64)
    private var slotsUsed = 0
    /// The targets of the leaves; nil for a removed route.
    private(set) var targets: [RouteTarget?] = []
    private(set) var removedCount = 0

    init(_ options: RouterOptions) {
        (routerOptions, self.options, limits) = (options, options.tree, options.limits)
        types = options.types + RouteParameterType.restricting
    }

    var liveCount: Int { targets.count - removedCount }

    /// The current targets, in the order in which they were added.
    var liveTargets: [RouteTarget] { targets.compactMap { $0 } }

    // MARK: Static children

    @inline(__always)
    static func key(_ parent: Int32, _ hash: UInt64) -> UInt64 {
        RouteBytes.mix(hash, UInt64(truncatingIfNeeded: parent))
    }

    /// Returns the child of `parent` for a segment, or -1.
    @inline(__always)
    func child(
        of parent: Int32, _ bytes: borrowing Span<UInt8>, _ start: Int, _ count: Int, hash: UInt64, fold: Bool
    ) -> Int32 {
        let key = Self.key(parent, hash)
        let mask = slots.count &- 1
        var at = Int(truncatingIfNeeded: key) & mask
        while true {
            let slot = slots[at]
            if slot.child == 0 { return -1 }
            if slot.key == key, slot.parent == parent, has(slot.child, bytes, start, count, fold) { return slot.child }
            at = (at &+ 1) & mask
        }
    }

    @inline(__always)
    private func has(
        _ child: Int32, _ bytes: borrowing Span<UInt8>, _ start: Int, _ count: Int, _ fold: Bool
    ) -> Bool {
        let node = nodes[Int(child)]
        guard Int(node.textLength) == count else { return false }
        if count <= 8 {
            return RouteBytes.folded(node.head, fold) == RouteBytes.folded(RouteBytes.word(bytes, start, count), fold)
        }
        return RouteBytes.equal(bytes, start, text, Int(node.textStart), count, fold: fold)
    }

    private mutating func staticChild(_ parent: Int32, _ segment: ArraySlice<UInt8>, fold: Bool, adding: Bool) -> Int32
    {
        let bytes = segment.span
        let hash = RouteBytes.hash(bytes, 0, bytes.count, fold: fold)
        if nodes[Int(parent)].hasStatics {
            let child = child(of: parent, bytes, 0, bytes.count, hash: hash, fold: fold)
            if child > 0 { return child }
        }
        guard adding else { return -1 }
        let child = addNode()
        nodes[Int(child)].head = RouteBytes.word(bytes, 0, min(bytes.count, 8))
        nodes[Int(child)].textStart = UInt32(text.count)
        nodes[Int(child)].textLength = UInt16(bytes.count)
        if segment.count > 8 { text += segment }
        nodes[Int(parent)].hasStatics = true
        if (slotsUsed + 1) * 8 > slots.count * 5 { growSlots() }
        place(Slot(key: Self.key(parent, hash), child: child, parent: parent))
        slotsUsed += 1
        return child
    }

    private mutating func addNode() -> Int32 {
        nodes.append(Node())
        return Int32(nodes.count - 1)
    }

    private mutating func place(_ slot: Slot) {
        var at = Int(truncatingIfNeeded: slot.key) & (slots.count - 1)
        while slots[at].child != 0 { at = (at + 1) & (slots.count - 1) }
        slots[at] = slot
    }

    private mutating func growSlots() {
        let old = slots
        slots = Array(repeating: Slot(), count: old.count * 2)
        for slot in old where slot.child != 0 { place(slot) }
    }

    // MARK: Parameters

    private mutating func parameterChild(
        _ parent: Int32, _ segment: RouteSegment, _ bytes: [UInt8], isHost: Bool = false, adding: Bool
    ) -> Int32 {
        if segment.type == nil, segment.prefix.isEmpty, segment.suffix.isEmpty {
            if nodes[Int(parent)].plain < 0, adding {
                let child = addNode()
                nodes[Int(parent)].plain = child
            }
            return nodes[Int(parent)].plain
        }
        let type = segment.type.map { number(of: $0) } ?? -1
        let rank = RouteRank(segment, in: bytes, types: types, foldsCase: options.foldsCase)
        var (before, at): (Int32, Int32) = (-1, nodes[Int(parent)].edges)
        while at >= 0, ranks[Int(at)] < rank { (before, at) = (at, edges[Int(at)].next) }
        if at >= 0, ranks[Int(at)] == rank { return edges[Int(at)].child }
        guard adding else { return -1 }
        let child = addNode()
        edges.append(
            Edge(
                child: child, next: at, textStart: UInt32(text.count), prefix: UInt16(segment.prefix.count),
                suffix: UInt16(segment.suffix.count), type: type, rule: segment.type?.builtIn ?? .string,
                isHost: isHost))
        ranks.append(rank)
        text += bytes[segment.prefix] + bytes[segment.suffix]
        let new = Int32(edges.count - 1)
        if before < 0 { nodes[Int(parent)].edges = new } else { edges[Int(before)].next = new }
        return child
    }

    private mutating func number(of type: RouteParameterType) -> Int32 {
        if let known = type.index(in: types) { return Int32(known) }
        types.append(type)
        return Int32(types.count - 1)
    }

    // MARK: Places

    /// Follows a variant and returns its place; returns nil if it doesn't exist and isn't to be added.
    ///
    /// A variant with the same shape as an existing one adds nothing.
    mutating func place(of variant: RouteVariant, _ authority: RouteAuthority?, adding: Bool) -> Place? {
        var node = authority == nil ? Self.root : Self.authorityRoot
        if let authority {
            for part in [authority.scheme, authority.host] {
                if part == nil, node != Self.authorityRoot, let (segment, text) = authority.parameter?.segment {
                    node = parameterChild(node, segment, text, isHost: true, adding: adding)
                } else if let part {
                    node = staticChild(node, Array(part.utf8)[...], fold: true, adding: adding)
                } else {
                    node = parameterChild(node, RouteSegment(kind: .parameter, start: 0), [], adding: adding)
                }
                if node < 0 { return nil }
            }
        }
        var trimmed = variant
        trimmed.trim(options)
        for segment in trimmed.segments {
            switch segment.kind {
            case .literal:
                node = staticChild(node, trimmed.text[segment.prefix], fold: options.foldsCase, adding: adding)
            case .parameter: node = parameterChild(node, segment, trimmed.text, adding: adding)
            case .catchAll: return Place(node: node, isCatchAll: true)
            }
            if node < 0 { return nil }
        }
        return Place(node: node, isCatchAll: false)
    }

    func target(at place: Place) -> RouteTarget? {
        let node = nodes[Int(place.node)]
        let index = place.isCatchAll ? node.catchAll : node.leaf
        return index < 0 ? nil : targets[Int(index)]
    }

    /// Sets the target at a place; nil empties the place.
    mutating func set(_ target: RouteTarget?, at place: Place) {
        let node = nodes[Int(place.node)]
        let old = place.isCatchAll ? node.catchAll : node.leaf
        if old >= 0 {
            targets[Int(old)] = nil
            removedCount += 1
        }
        if let target { targets.append(target) }
        let index = target == nil ? -1 : Int32(targets.count - 1)
        if place.isCatchAll { nodes[Int(place.node)].catchAll = index } else { nodes[Int(place.node)].leaf = index }
    }
}

/// The target of a leaf: one variant of the pattern of a route.
final class RouteTarget: Sendable {
    let pattern: RoutePattern
    let variant: Int
    /// The route; nil in a table created from patterns.
    let route: (any RouteEntry)?
    // Also parts of the pattern, but needed whenever a value of a match is read.
    let names: [String]
    let authority: RouteAuthority?

    init(_ pattern: RoutePattern, variant: Int, route: (any RouteEntry)?) {
        (self.pattern, self.variant, self.route) = (pattern, variant, route)
        (names, authority) = (pattern.variants[variant].names, pattern.authority)
    }
}

/// A route, as a table refers to it.
protocol RouteEntry: AnyObject, Sendable {
    var pattern: RoutePattern { get }
    var location: EventLocation { get }
}
