extension ConfigTree {
    /// Whether two nodes have equal values, regardless of their locations and the order of keys.
    ///
    /// The comparison isn't recursive, so trees of any depth can be compared. NaN equals itself; otherwise a file with
    /// NaN would differ at each reload.
    ///
    /// - Complexity: O(*n*) in the number of values below the nodes.
    func hasSameValue(at node: Int, as other: ConfigTree, at otherNode: Int) -> Bool {
        if self === other, node == otherNode { return true }
        var pending = [(node, otherNode)]
        while let (left, right) = pending.popLast() {
            switch (kind(of: left), other.kind(of: right)) {
            case (.array, .array):
                guard count(of: left) == other.count(of: right) else { return false }
                for pair in zip(children(of: left), other.children(of: right)) { pending.append(pair) }
            case (.dictionary, .dictionary):
                guard count(of: left) == other.count(of: right) else { return false }
                guard let pairs = pairs(left, other, right) else { return false }
                pending += pairs
            default:
                guard hasSameScalar(at: left, as: other, at: right) else { return false }
            }
        }
        return true
    }

    /// Returns the entries of two dictionaries of the same size by key; nil if their keys differ.
    private func pairs(_ node: Int, _ other: ConfigTree, _ otherNode: Int) -> [(Int, Int)]? {
        var pairs: [(Int, Int)] = []
        var rest = other.children(of: otherNode)
        var table: [String: Int]?
        for child in children(of: node) {
            // Both dictionaries usually have the same order.
            if table == nil, let next = rest.next(), hasSameKey(child, other, next) {
                pairs.append((child, next))
                continue
            }
            if table == nil {
                table = Dictionary(
                    other.children(of: otherNode).map { (other.key(of: $0), $0) }, uniquingKeysWith: { $1 })
            }
            guard let twin = table?[key(of: child)] else { return nil }
            pairs.append((child, twin))
        }
        return pairs
    }

    private func hasSameKey(_ node: Int, _ other: ConfigTree, _ otherNode: Int) -> Bool {
        keyBytes[nodes[node].keyRange] == other.keyBytes[other.nodes[otherNode].keyRange]
    }

    private func hasSameScalar(at left: Int, as other: ConfigTree, at right: Int) -> Bool {
        let (first, second) = (nodes[left], other.nodes[right])
        guard first.kind == second.kind else { return false }
        switch first.kind {
        case .string: return strings[Int(first.payload)] == other.strings[Int(second.payload)]
        case .data: return blobs[Int(first.payload)] == other.blobs[Int(second.payload)]
        case .real, .date:
            return first.payload == second.payload
                || Double(bitPattern: first.payload) == Double(bitPattern: second.payload)
        default: return first.payload == second.payload
        }
    }
}
