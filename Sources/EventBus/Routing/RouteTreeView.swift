/// A tree as plain pointers, so that a walk counts no references and checks no accesses.
struct RouteTreeView {
    typealias Node = RouteTree.Node
    typealias Edge = RouteTree.Edge

    let nodes: UnsafeMutablePointer<Node>
    let edges: UnsafeMutablePointer<Edge>
    let text: UnsafeMutablePointer<UInt8>
    let slots: UnsafeMutablePointer<RouteTree.Slot>
    let slotMask: Int
    let foldsCase: Bool

    @inline(__always)
    static func key(_ parent: Int32, _ hash: UInt64) -> UInt64 {
        RouteBytes.mix(hash, UInt64(truncatingIfNeeded: parent))
    }

    /// Returns the child of `parent` behind a segment, or -1.
    @inline(__always)
    func child(
        of parent: Int32, _ bytes: UnsafePointer<UInt8>, _ count: Int, hash: UInt64, fold: Bool
    ) -> Int32 {
        let key = Self.key(parent, hash)
        var at = Int(truncatingIfNeeded: key) & slotMask
        while true {
            let slot = slots + at
            if slot.pointee.child == 0 { return -1 }
            if slot.pointee.key == key, slot.pointee.parent == parent, has(slot.pointee.child, bytes, count, fold) {
                return slot.pointee.child
            }
            at = (at &+ 1) & slotMask
        }
    }

    @inline(__always)
    private func has(_ child: Int32, _ bytes: UnsafePointer<UInt8>, _ count: Int, _ fold: Bool) -> Bool {
        let node = nodes + Int(child)
        guard Int(node.pointee.textLength) == count else { return false }
        if count <= 8 {
            return RouteBytes.folded(node.pointee.head, fold) == RouteBytes.folded(RouteBytes.word(bytes, count), fold)
        }
        return RouteBytes.equal(text + Int(node.pointee.textStart), bytes, count, fold: fold)
    }

    /// Where a walk ended.
    enum Outcome {
        /// The number of the target, and the step at which its catch-all begins or the count of steps.
        case found(target: Int32, depth: Int)
        case notFound
        case tooCostly
    }

    /// What was taken at a step, where it isn't the number of an edge.
    enum Taken {
        static let literal: Int32 = -1
        static let plain: Int32 = -2
        static let catchAll: Int32 = -3
    }

    /// What is left to try at a step, where it isn't the number of an edge.
    private enum Stage {
        static let plain: Int32 = -1
        static let catchAll: Int32 = -2
        static let nothing: Int32 = -3
    }

    /// Finds the target of a row of steps, by precedence at each segment from the left, with full backtracking.
    ///
    /// A node represents one row of choices, so none is visited twice. The field `taken` records what was captured at each
    /// step, which a retreat overwrites; so nothing has to be rolled back.
    @inline(__always)
    func find(
        _ bytes: UnsafePointer<UInt8>, _ steps: UnsafeMutablePointer<RouteStep>, count: Int, hasAuthority: Bool,
        tree: RouteTree, budget: Int
    ) -> Outcome {
        var (node, depth, left) = (hasAuthority ? RouteTree.authorityRoot : RouteTree.root, 0, budget)
        while true {
            left &-= 1
            if left < 0 { return .tooCostly }
            let place = nodes + Int(node)
            if depth == count {
                if place.pointee.leaf >= 0 { return .found(target: place.pointee.leaf, depth: depth) }
            } else {
                let step = steps + depth
                step.pointee.node = node
                step.pointee.next = place.pointee.edges
                if place.pointee.hasStatics {
                    let start = bytes + Int(step.pointee.start)
                    let length = Int(step.pointee.length)
                    let fold = foldsCase || hasAuthority && depth < 2
                    if step.pointee.hash == 0 { step.pointee.hash = RouteBytes.hash(start, length, fold: fold) }
                    let child = child(of: node, start, length, hash: step.pointee.hash, fold: fold)
                    if child > 0 {
                        step.pointee.taken = Taken.literal
                        node = child
                        depth &+= 1
                        continue
                    }
                }
                depth &+= 1
            }
            // Back to the nearest step where something is left to try; the one just reached comes first.
            var isBelow = false
            while !isBelow {
                depth &-= 1
                if depth < 0 { return .notFound }
                let step = steps + depth
                node = step.pointee.node
                switch takeNext(bytes, step, at: nodes + Int(node), tree, &left) {
                case .tooCostly?: return .tooCostly
                case .catchAll?:
                    if step.pointee.length > 0 || depth &+ 1 < count {
                        return .found(target: nodes[Int(node)].catchAll, depth: depth)
                    }
                case .child(let child)?:
                    node = child
                    isBelow = true
                case nil: break
                }
            }
            depth &+= 1
        }
    }

    private enum Choice {
        case child(Int32)
        case catchAll
        case tooCostly
    }

    /// Takes the next parameter that fits the step and notes what is left after it; nil if nothing fits.
    @inline(__always)
    private func takeNext(
        _ bytes: UnsafePointer<UInt8>, _ step: UnsafeMutablePointer<RouteStep>, at place: UnsafeMutablePointer<Node>,
        _ tree: RouteTree, _ left: inout Int
    ) -> Choice? {
        var stage = step.pointee.next
        while stage >= 0 {
            left &-= 1
            if left < 0 { return .tooCostly }
            let edge = edges + Int(stage)
            let taken = stage
            stage = edge.pointee.next
            if fits(bytes + Int(step.pointee.start), Int(step.pointee.length), edge, tree) {
                step.pointee.taken = taken
                step.pointee.next = stage
                return .child(edge.pointee.child)
            }
        }
        if stage == Stage.plain {
            stage = Stage.catchAll
            if place.pointee.plain > 0, step.pointee.length > 0 {
                step.pointee.taken = Taken.plain
                step.pointee.next = stage
                return .child(place.pointee.plain)
            }
        }
        step.pointee.next = Stage.nothing
        if stage == Stage.catchAll, place.pointee.catchAll >= 0 {
            step.pointee.taken = Taken.catchAll
            return .catchAll
        }
        return nil
    }

    /// Whether a segment has an edge's text around a value that isn't empty and has the edge's type.
    private func fits(
        _ start: UnsafePointer<UInt8>, _ length: Int, _ edge: UnsafeMutablePointer<Edge>,
        _ tree: RouteTree
    ) -> Bool {
        let (prefix, suffix) = (Int(edge.pointee.prefix), Int(edge.pointee.suffix))
        let value = length &- prefix &- suffix
        guard value > 0 else { return false }
        let around = text + Int(edge.pointee.textStart)
        guard RouteBytes.equal(start, around, prefix, fold: foldsCase),
            RouteBytes.equal(start + (length &- suffix), around + prefix, suffix, fold: foldsCase)
        else { return false }
        if edge.pointee.type < 0 { return true }
        if edge.pointee.rule != .string { return edge.pointee.rule.accepts(start + prefix, value) }
        return tree.types[Int(edge.pointee.type)].accepts(start + prefix, value)
    }
}
