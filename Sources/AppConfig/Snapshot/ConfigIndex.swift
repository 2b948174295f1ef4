/// Finds the node of a path's text with one hash and one probe.
///
/// Every value that is reached through dictionaries alone stands in an open-addressing table under the hash of its
/// path's text. A root key stands under its own bytes, whatever they are, so a literal `a.b` and a nested `a{b}` ask for
/// the same text; the literal one gets it. What the table answers is checked against the keys of the tree, so a collision
/// of hashes is never taken for a hit.
final class ConfigIndex: @unchecked Sendable {
    /// Deeper values are found by following their path from this depth on.
    static let maximumDepth = 32

    // Hash and node number in each slot; nothing is written after `init`.
    private let slots: UnsafeMutablePointer<UInt64>
    private let mask: Int
    private let seed: UInt64
    private let knowsShortTexts = ConfigShortText.isAsKnown
    private let nodes: UnsafeBufferPointer<ConfigNode>
    private let keys: UnsafeBufferPointer<UInt8>
    /// Keeps the memory of nodes and keys.
    private let tree: ConfigTree
    /// Nested nodes whose text a literal root key took.
    let hidden: [Int]

    init(_ tree: ConfigTree) {
        var capacity = 16
        while capacity * 3 < tree.nodes.count * 4 { capacity *= 2 }
        let mask = capacity - 1
        self.mask = mask
        self.tree = tree
        let (nodes, keys, seed) = (tree.nodes, tree.keyBytes, ConfigHash.seed)
        (self.nodes, self.keys, self.seed) = (nodes, keys, seed)
        let slots = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity)
        slots.initialize(repeating: 0, count: capacity)
        self.slots = slots
        var hidden: [Int] = []
        var text: [UInt8] = []
        var ends: [(end: Int, length: Int)] = []
        var number = 1
        while number < nodes.count {
            while let last = ends.last, last.end <= number { ends.removeLast() }
            text.removeLast(text.count - (ends.last?.length ?? 0))
            let node = nodes[number]
            let key = UnsafeBufferPointer(
                rebasing: keys[Int(node.keyStart)..<(Int(node.keyStart) + Int(node.keyLength))])
            if node.parent == 0 {
                text.append(contentsOf: key)
            } else if node.flags.contains(.escapedKey) {
                ConfigPath.append(key: key, to: &text, isFirst: false)
            } else {
                text.append(UInt8(ascii: "."))
                text.append(contentsOf: key)
            }
            let twin = text.withUnsafeBufferPointer { Self.insert(number, $0, slots, mask, seed, nodes, keys) }
            if let twin { hidden.append(twin) }
            let end = Int(node.end)
            guard node.kind == .dictionary, ends.count < Self.maximumDepth - 1, end > number + 1 else {
                number = end
                continue
            }
            if node.parent == 0, node.flags.contains(.escapedKey) {
                // Below a root key with dots the canonical text begins with its escaped spelling.
                text.removeAll(keepingCapacity: true)
                ConfigPath.append(key: key, to: &text, isFirst: true)
            }
            ends.append((end, text.count))
            number += 1
        }
        self.hidden = hidden
    }

    deinit { slots.deallocate() }

    /// Enters a node under its text; returns the node that stays hidden if the text was taken.
    private static func insert(
        _ number: Int, _ text: UnsafeBufferPointer<UInt8>, _ slots: UnsafeMutablePointer<UInt64>, _ mask: Int,
        _ seed: UInt64, _ nodes: UnsafeBufferPointer<ConfigNode>, _ keys: UnsafeBufferPointer<UInt8>
    ) -> Int? {
        let hash = ConfigHash.hash(text, seed: seed)
        let new = UInt64(hash) << 32 | UInt64(number)
        var at = Int(hash) & mask
        while slots[at] != 0 {
            let other = Int(UInt32(truncatingIfNeeded: slots[at]))
            if UInt32(truncatingIfNeeded: slots[at] >> 32) == hash, matches(other, text, nodes, keys) {
                if nodes[number].parent != 0 { return number }
                slots[at] = new
                return other
            }
            at = (at + 1) & mask
        }
        slots[at] = new
        return nil
    }

    /// The node whose path has this text; a literal root key comes before a nested path.
    @inline(__always)
    func find(_ text: UnsafeBufferPointer<UInt8>) -> Int? { find(text, hash(of: text)) }

    @inline(__always)
    func hash(of text: UnsafeBufferPointer<UInt8>) -> UInt32 { ConfigHash.hash(text, seed: seed) }

    /// The hash of a text that ``ConfigShortText`` can read; nil of all others.
    @inline(__always)
    func hash(ofShort text: String) -> UInt32? {
        guard knowsShortTexts, let short = ConfigShortText(text) else { return nil }
        return short.hash(seed: seed)
    }

    /// The node under a hash made before.
    @inline(__always)
    func find(_ text: UnsafeBufferPointer<UInt8>, _ hash: UInt32) -> Int? {
        var at = Int(hash) & mask
        while true {
            let slot = slots[at]
            if slot == 0 { return nil }
            if UInt32(truncatingIfNeeded: slot >> 32) == hash {
                let number = Int(UInt32(truncatingIfNeeded: slot))
                if Self.matches(number, text, nodes, keys) { return number }
            }
            at = (at + 1) & mask
        }
    }

    /// Whether a node's path has this text, compared from the last key to the first.
    @inline(__always)
    private static func matches(
        _ number: Int, _ text: UnsafeBufferPointer<UInt8>, _ nodes: UnsafeBufferPointer<ConfigNode>,
        _ keys: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        var number = number
        var rest = text.count
        while true {
            let node = nodes[number]
            let length = Int(node.keyLength)
            let isRootKey = node.parent == 0
            if node.flags.contains(.escapedKey), !(isRootKey && rest == text.count) {
                return matchesEscaped(number, UnsafeBufferPointer(rebasing: text[0..<rest]), nodes, keys)
            }
            if length > rest { return false }
            let from = rest - length
            guard let left = text.baseAddress, let right = keys.baseAddress else { return length == 0 && isRootKey }
            if !UInt8.areSame(left + from, right + Int(node.keyStart), length) { return false }
            if isRootKey { return from == 0 }
            if from == 0 || text[from - 1] != UInt8(ascii: ".") { return false }
            rest = from - 1
            number = Int(node.parent)
        }
    }

    @inline(never)
    private static func matchesEscaped(
        _ number: Int, _ text: UnsafeBufferPointer<UInt8>, _ nodes: UnsafeBufferPointer<ConfigNode>,
        _ keys: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        var path: [ConfigNode] = []
        var at = number
        while at != 0 {
            path.append(nodes[at])
            at = Int(nodes[at].parent)
        }
        var bytes: [UInt8] = []
        for (depth, node) in path.reversed().enumerated() {
            let key = keys[Int(node.keyStart)..<(Int(node.keyStart) + Int(node.keyLength))]
            ConfigPath.append(key: key, to: &bytes, isFirst: depth == 0)
        }
        return bytes.elementsEqual(text)
    }
}
