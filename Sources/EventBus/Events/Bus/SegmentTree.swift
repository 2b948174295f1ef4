/// Values by the segments of a name or a pattern.
///
/// To match a name with the patterns of a tree, or a pattern with its names, all fitting paths are walked at the same time. The
/// cost depends on the number of these paths, not on the number of values.
struct SegmentTree<Value: Sendable>: Sendable {
    private struct Node: Sendable {
        var children: [String: Int] = [:]
        /// The node of a `*`.
        var star: Int?
        /// The value of a name, or of a pattern that ends here, and of a pattern that ends here with a `**`.
        var value: Value?
        var tail: Value?
    }

    private var nodes = [Node()]
    private var free: [Int] = []

    var isEmpty: Bool { nodes[0].children.isEmpty && nodes[0].star == nil && nodes[0].tail == nil }

    /// The value of the pattern `**`, if there is no other.
    var onlyEverything: Value? { nodes[0].children.isEmpty && nodes[0].star == nil ? nodes[0].tail : nil }

    /// The number of nodes in use.
    var nodeCount: Int { nodes.count - free.count }

    /// The value of a pattern or a name, by its segments; nil represents a `*`, and a tail a `**` at the end.
    ///
    /// Setting nil removes the value, and the nodes that only it needs.
    ///
    /// - Complexity: O(*n*) in the number of segments.
    subscript(_ segments: [String?], hasTail hasTail: Bool = false) -> Value? {
        get {
            var node = 0
            for segment in segments {
                guard let next = segment.map({ nodes[node].children[$0] }) ?? nodes[node].star else { return nil }
                node = next
            }
            return hasTail ? nodes[node].tail : nodes[node].value
        }
        set { set(newValue, segments[...], hasTail, at: 0) }
    }

    private mutating func set(_ value: Value?, _ rest: ArraySlice<String?>, _ hasTail: Bool, at node: Int) {
        guard let segment = rest.first else {
            if hasTail { nodes[node].tail = value } else { nodes[node].value = value }
            return
        }
        let known = segment.map { nodes[node].children[$0] } ?? nodes[node].star
        guard let next = known ?? (value == nil ? nil : newNode()) else { return }
        set(value, rest.dropFirst(), hasTail, at: next)
        let isUsed = nodes[next].value != nil || nodes[next].tail != nil || nodes[next].star != nil
        let link = isUsed || !nodes[next].children.isEmpty ? next : nil
        if let segment { nodes[node].children[segment] = link } else { nodes[node].star = link }
        if link == nil { free.append(next) }
    }

    private mutating func newNode() -> Int {
        if let node = free.popLast() { return node }
        nodes.append(Node())
        return nodes.count - 1
    }

    /// Returns the values of the patterns that match a name, in any order.
    func values(matching name: String) -> [Value] {
        if isEmpty { return [] }
        var found: [Value] = []
        var open = [0]
        for segment in TopicName.segments(of: name) {
            for node in open { nodes[node].tail.map { found.append($0) } }
            // A `*` doesn't match an empty segment, which only names of routes have.
            open = open.flatMap { node in
                [nodes[node].children[segment], segment.isEmpty ? nil : nodes[node].star].compactMap(\.self)
            }
            if open.isEmpty { return found }
        }
        for node in open { found += [nodes[node].tail, nodes[node].value].compactMap(\.self) }
        return found
    }

    /// Returns the values of the names that a pattern matches, in any order.
    func values(matchedBy pattern: TopicPattern) -> [Value] {
        var open = [0]
        for segment in pattern.segments {
            open = open.flatMap { node in
                segment.map { nodes[node].children[$0].map { [$0] } ?? [] }
                    ?? nodes[node].children.filter { !$0.key.isEmpty }.map(\.value)
            }
        }
        var found: [Value] = []
        while let node = open.popLast() {
            nodes[node].value.map { found.append($0) }
            if pattern.hasTail { open += nodes[node].children.values }
        }
        return found
    }

    /// All values, in any order.
    var values: [Value] { nodes.flatMap { [$0.value, $0.tail].compactMap(\.self) } }
}
