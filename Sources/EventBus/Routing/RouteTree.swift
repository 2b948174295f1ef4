/// The routes of one router as a tree of segments, flat in memory.
///
/// All nodes' static children share one open-addressing table keyed by (parent, hash of the segment), so finding one
/// costs the same in a table of ten routes and of a hundred thousand. Parameters hang on their node: typed ones and
/// ones with text around them in a list sorted by precedence, then the plain one, then the catch-all.
///
/// Scheme and host are two more segments, under a root of their own.
final class RouteTree: @unchecked Sendable {
    // Unchecked: written only by `RouteTable`, and only while it holds the single reference.

    /// A place in the tree: the text that leads here and what may follow.
    struct Node {
        /// The first eight bytes of the text, so that short texts are compared without a further load.
        var head: UInt64 = 0
        var textStart: UInt32 = 0
        var textLength: UInt16 = 0
        var hasStatics = false
        /// The target of a path that ends here, or -1.
        var leaf: Int32 = -1
        /// The child behind a plain parameter, or -1.
        var plain: Int32 = -1
        /// The target of a path whose rest is taken from here, or -1.
        var catchAll: Int32 = -1
        /// The first parameter with a type or text around it, or -1.
        var edges: Int32 = -1
    }

    /// An entry of the table of static children; child 0, the root, marks a free one.
    struct Slot {
        var key: UInt64 = 0
        var child: Int32 = 0
        var parent: Int32 = 0
    }

    /// A parameter with a type or with text around it; prefix and suffix lie side by side in the text.
    struct Edge {
        var child: Int32
        var next: Int32
        var textStart: UInt32
        var prefix: UInt16
        var suffix: UInt16
        /// The number of the type, or -1.
        var type: Int32
        /// The type's rule if it is a built-in one.
        var rule: RouteParameterType.BuiltIn
    }

    static let root: Int32 = 0
    static let authorityRoot: Int32 = 1

    let routerOptions: RouterOptions
    let options: RouteTreeOptions
    let limits: RouteLimits
    // A tree changes only while one thread holds it alone, so its fields need no checks of their own.
    @exclusivity(unchecked) private(set) var types: [RouteParameterType]
    @exclusivity(unchecked) private(set) var nodes = RouteBuffer<Node>()
    @exclusivity(unchecked) private(set) var edges = RouteBuffer<Edge>()
    @exclusivity(unchecked) private(set) var text = RouteBuffer<UInt8>()
    @exclusivity(unchecked) private var slots: UnsafeMutablePointer<Slot>
    @exclusivity(unchecked) private var slotMask: Int
    private var slotsUsed = 0
    /// What the leaves point to, each retained once; nil where a route was removed.
    @exclusivity(unchecked) private(set) var targets = RouteBuffer<Unmanaged<RouteTarget>?>()
    private(set) var removedCount = 0

    init(_ options: RouterOptions) {
        (routerOptions, self.options, limits) = (options, options.tree, options.limits)
        types = options.types + RouteParameterType.restricting
        slotMask = 63
        slots = Self.emptySlots(64)
        nodes.append(Node())
        nodes.append(Node())
    }

    init(copying other: RouteTree) {
        (routerOptions, options, limits) = (other.routerOptions, other.options, other.limits)
        types = other.types
        (slotMask, slotsUsed, removedCount) = (other.slotMask, other.slotsUsed, other.removedCount)
        slots = .allocate(capacity: slotMask + 1)
        slots.initialize(from: other.slots, count: slotMask + 1)
        nodes = RouteBuffer(copying: other.nodes)
        edges = RouteBuffer(copying: other.edges)
        text = RouteBuffer(copying: other.text)
        targets = RouteBuffer(copying: other.targets)
        for at in 0..<targets.count { _ = targets.base[at]?.retain() }
    }

    deinit {
        for at in 0..<targets.count { targets.base[at]?.release() }
        slots.deallocate()
        nodes.deallocate()
        edges.deallocate()
        text.deallocate()
        targets.deallocate()
    }

    /// The tree as plain pointers, valid while the tree is held and doesn't change.
    @inline(__always)
    var view: RouteTreeView {
        RouteTreeView(
            nodes: nodes.base, edges: edges.base, text: text.base, slots: slots, slotMask: slotMask,
            foldsCase: options.foldsCase)
    }

    var liveCount: Int { targets.count - removedCount }

    /// The targets that are still there, in the order in which they were added.
    var liveTargets: [RouteTarget] { (0..<targets.count).compactMap { targets.base[$0]?.takeUnretainedValue() } }

    // MARK: Static children

    private static func emptySlots(_ count: Int) -> UnsafeMutablePointer<Slot> {
        let slots = UnsafeMutablePointer<Slot>.allocate(capacity: count)
        slots.initialize(repeating: Slot(), count: count)
        return slots
    }

    private func staticChild(
        _ parent: Int32, _ bytes: UnsafeBufferPointer<UInt8>, fold: Bool, adding: Bool
    ) -> Int32 {
        // An empty segment has no base address; any valid pointer will do for no bytes.
        let base = bytes.baseAddress ?? UnsafePointer(text.base)
        let hash = RouteBytes.hash(base, bytes.count, fold: fold)
        if nodes[parent].hasStatics {
            let child = view.child(of: parent, base, bytes.count, hash: hash, fold: fold)
            if child > 0 { return child }
        }
        guard adding else { return -1 }
        let child = addNode()
        nodes[child].head = RouteBytes.word(base, min(bytes.count, 8))
        nodes[child].textStart = UInt32(text.count)
        nodes[child].textLength = UInt16(bytes.count)
        if bytes.count > 8 { text.append(bytes) }
        nodes[parent].hasStatics = true
        if (slotsUsed + 1) * 8 > (slotMask + 1) * 5 { growSlots() }
        place(Slot(key: RouteTreeView.key(parent, hash), child: child, parent: parent))
        slotsUsed += 1
        return child
    }

    private func addNode() -> Int32 {
        nodes.append(Node())
        return Int32(nodes.count - 1)
    }

    private func place(_ slot: Slot) {
        var at = Int(truncatingIfNeeded: slot.key) & slotMask
        while slots[at].child != 0 { at = (at + 1) & slotMask }
        slots[at] = slot
    }

    private func growSlots() {
        let (old, oldCount) = (slots, slotMask + 1)
        slots = Self.emptySlots(oldCount * 2)
        slotMask = oldCount * 2 - 1
        for at in 0..<oldCount where old[at].child != 0 { place(old[at]) }
        old.deallocate()
    }

    // MARK: Parameters

    private func parameterChild(
        _ parent: Int32, _ segment: RouteSegment, _ bytes: UnsafeBufferPointer<UInt8>, adding: Bool
    ) -> Int32 {
        if segment.type == nil, segment.prefix.isEmpty, segment.suffix.isEmpty {
            if nodes[parent].plain < 0, adding {
                let child = addNode()
                nodes[parent].plain = child
            }
            return nodes[parent].plain
        }
        let start = text.count
        text.append(UnsafeBufferPointer(rebasing: bytes[segment.prefix]))
        text.append(UnsafeBufferPointer(rebasing: bytes[segment.suffix]))
        // Looking for a parameter borrows the end of the text; what is found or not wanted gives it back.
        var edge = Edge(
            child: 0, next: -1, textStart: UInt32(start), prefix: UInt16(segment.prefix.count),
            suffix: UInt16(segment.suffix.count), type: segment.type.map(number) ?? -1,
            rule: segment.type?.builtIn ?? .string)
        var (before, at): (Int32, Int32) = (-1, nodes[parent].edges)
        while at >= 0 {
            let order = compare(edges[at], edge)
            if order == 0 {
                text.removeLast(text.count - start)
                return edges[at].child
            }
            if order > 0 { break }
            (before, at) = (at, edges[at].next)
        }
        guard adding else {
            text.removeLast(text.count - start)
            return -1
        }
        (edge.next, edge.child) = (at, addNode())
        edges.append(edge)
        let new = Int32(edges.count - 1)
        if before < 0 { nodes[parent].edges = new } else { edges[before].next = new }
        return edge.child
    }

    private func number(of type: RouteParameterType) -> Int32 {
        if let known = types.firstIndex(of: type) { return Int32(known) }
        types.append(type)
        return Int32(types.count - 1)
    }

    /// The precedence of two parameters at the same place; negative if `a` is tried first, 0 if they are the same.
    private func compare(_ a: Edge, _ b: Edge) -> Int {
        func rank(_ edge: Edge) -> Int {
            let hasText = edge.prefix > 0 || edge.suffix > 0
            return hasText ? (edge.type >= 0 ? 0 : 1) : 2
        }
        if rank(a) != rank(b) { return rank(a) - rank(b) }
        let (lengthA, lengthB) = (Int(a.prefix) + Int(a.suffix), Int(b.prefix) + Int(b.suffix))
        if lengthA != lengthB { return lengthB - lengthA }
        if a.prefix != b.prefix { return Int(b.prefix) - Int(a.prefix) }
        if a.type != b.type { return Int(a.type) - Int(b.type) }
        for offset in 0..<lengthA {
            let byteA = RouteBytes.folded(UInt64(text.base[Int(a.textStart) + offset]), options.foldsCase)
            let byteB = RouteBytes.folded(UInt64(text.base[Int(b.textStart) + offset]), options.foldsCase)
            if byteA != byteB { return Int(byteA) - Int(byteB) }
        }
        return 0
    }

    // MARK: Leaves

    /// A place where a target can hang: the end of a row of segments, or a catch-all.
    struct Place: Equatable {
        var node: Int32
        var isCatchAll: Bool
    }

    /// Walks along a variant and returns its place, nil if it isn't there and not to be added.
    ///
    /// A variant of the same shape as one that is there adds nothing.
    func place(of variant: RouteVariant, _ authority: RouteAuthority?, adding: Bool) -> Place? {
        var node = authority == nil ? Self.root : Self.authorityRoot
        if let authority {
            for part in [authority.scheme, authority.host] {
                if var part {
                    node = part.withUTF8 { staticChild(node, $0, fold: true, adding: adding) }
                } else {
                    let any = RouteSegment(kind: .parameter, start: 0)
                    node = parameterChild(node, any, UnsafeBufferPointer(start: nil, count: 0), adding: adding)
                }
                if node < 0 { return nil }
            }
        }
        var trimmed = variant
        trimmed.trim(options)
        return trimmed.text.withUnsafeBufferPointer { bytes in
            for segment in trimmed.segments {
                switch segment.kind {
                case .literal:
                    let text = UnsafeBufferPointer(rebasing: bytes[segment.prefix])
                    node = staticChild(node, text, fold: options.foldsCase, adding: adding)
                case .parameter: node = parameterChild(node, segment, bytes, adding: adding)
                case .catchAll: return Place(node: node, isCatchAll: true)
                }
                if node < 0 { return nil }
            }
            return Place(node: node, isCatchAll: false)
        }
    }

    func target(at place: Place) -> RouteTarget? {
        let index = place.isCatchAll ? nodes[place.node].catchAll : nodes[place.node].leaf
        return index < 0 ? nil : targets[index]?.takeUnretainedValue()
    }

    /// Hangs a target at a place, in place of what is there; nil empties the place.
    func set(_ target: RouteTarget?, at place: Place) {
        let old = place.isCatchAll ? nodes[place.node].catchAll : nodes[place.node].leaf
        if old >= 0 {
            let removed = targets[old]
            targets[old] = nil
            removedCount += 1
            removed?.release()
        }
        var index: Int32 = -1
        if let target {
            targets.append(Unmanaged.passRetained(target))
            index = Int32(targets.count - 1)
        }
        if place.isCatchAll { nodes[place.node].catchAll = index } else { nodes[place.node].leaf = index }
    }
}

/// The options that shape a tree and the splitting of paths for it.
struct RouteTreeOptions: Sendable, Equatable {
    var foldsCase = false
    var ignoresTrailingSlash = true
    var collapsesSlashes = false
}

/// The target of a leaf: one variant of the pattern of a route.
final class RouteTarget: Sendable {
    let pattern: RoutePattern
    let variant: Int
    let route: Route?
    let names: [String]

    init(_ pattern: RoutePattern, variant: Int, route: Route?) {
        (self.pattern, self.variant, self.route) = (pattern, variant, route)
        names = pattern.variants[variant].names
    }
}

/// A growing row of plain values in memory of its own; the owner frees it.
struct RouteBuffer<Element: BitwiseCopyable> {
    private(set) var base: UnsafeMutablePointer<Element>
    private(set) var count = 0
    private var capacity = 16

    init() { base = .allocate(capacity: capacity) }

    init(copying other: RouteBuffer) {
        (count, capacity) = (other.count, max(other.count, 16))
        base = .allocate(capacity: capacity)
        base.initialize(from: other.base, count: count)
    }

    func deallocate() { base.deallocate() }

    subscript(_ index: Int32) -> Element {
        @inline(__always) get { base[Int(index)] }
        @inline(__always) nonmutating _modify { yield &base[Int(index)] }
    }

    mutating func append(_ element: Element) {
        if count == capacity { grow(to: count + 1) }
        (base + count).initialize(to: element)
        count += 1
    }

    mutating func append(_ elements: UnsafeBufferPointer<Element>) {
        guard let source = elements.baseAddress, elements.count > 0 else { return }
        if count + elements.count > capacity { grow(to: count + elements.count) }
        (base + count).initialize(from: source, count: elements.count)
        count += elements.count
    }

    mutating func removeLast(_ removed: Int) { count -= removed }

    private mutating func grow(to least: Int) {
        capacity = max(least, capacity * 2)
        let new = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        new.initialize(from: base, count: count)
        base.deallocate()
        base = new
    }
}
