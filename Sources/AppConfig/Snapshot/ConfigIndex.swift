/// Finds the node of a path's text with one hash and one probe.
///
/// Every value that is reached through dictionaries alone stands in an open-addressing table under the hash of its
/// path's text. A root key stands under its own bytes, whatever they are, so a literal `a.b` and a nested `a{b}` ask for
/// the same text; the literal one gets it. What the table answers is checked against the keys of the tree, so a collision
/// of hashes is never taken for a hit.
struct ConfigIndex: Sendable {
    /// Deeper values are found by following their path from this depth on.
    static let maximumDepth = 32

    private let slots: ContiguousArray<UInt64>
    private let mask: Int
    /// Nested nodes whose text a literal root key took.
    let hidden: [Int]

    init(_ tree: ConfigTree) {
        var capacity = 16
        while capacity * 3 < tree.nodes.count * 4 { capacity *= 2 }
        let mask = capacity - 1
        var slots = ContiguousArray<UInt64>(repeating: 0, count: capacity)
        var hidden: [Int] = []
        var text: [UInt8] = []
        var ends: [(end: Int, length: Int)] = []
        let count = tree.nodes.count
        tree.nodes.withUnsafeBufferPointer { nodes in
            slots.withUnsafeMutableBufferPointer { slots in
                var number = 1
                while number < count {
                    while let last = ends.last, last.end <= number { ends.removeLast() }
                    text.removeLast(text.count - (ends.last?.length ?? 0))
                    let node = nodes[number]
                    let keyRange = Int(node.keyStart)..<(Int(node.keyStart) + Int(node.keyLength))
                    if node.parent == 0 {
                        text.append(contentsOf: tree.keyBytes[keyRange])
                    } else if node.flags.contains(.escapedKey) {
                        ConfigPath.append(key: tree.keyBytes[keyRange], to: &text, isFirst: false)
                    } else {
                        text.append(UInt8(ascii: "."))
                        text.append(contentsOf: tree.keyBytes[keyRange])
                    }
                    let hash = text.withUnsafeBufferPointer { ConfigHash.hash($0) }
                    var at = Int(hash) & mask
                    var isPlaced = false
                    while slots[at] != 0 {
                        if UInt32(truncatingIfNeeded: slots[at] >> 32) == hash {
                            let other = Int(UInt32(truncatingIfNeeded: slots[at]))
                            let isSame = text.withUnsafeBufferPointer { Self.matches(other, $0, tree) }
                            if isSame, node.parent == 0 {
                                hidden.append(other)
                                slots[at] = UInt64(hash) << 32 | UInt64(number)
                                isPlaced = true
                                break
                            } else if isSame {
                                hidden.append(number)
                                isPlaced = true
                                break
                            }
                        }
                        at = (at + 1) & mask
                    }
                    if !isPlaced { slots[at] = UInt64(hash) << 32 | UInt64(number) }
                    let end = Int(node.end)
                    if node.kind == .dictionary, ends.count < Self.maximumDepth - 1, end > number + 1 {
                        if node.parent == 0, node.flags.contains(.escapedKey) {
                            // Below a root key with dots the canonical text begins with its escaped spelling.
                            text.removeAll(keepingCapacity: true)
                            ConfigPath.append(key: tree.keyBytes[keyRange], to: &text, isFirst: true)
                        }
                        ends.append((end, text.count))
                        number += 1
                    } else {
                        number = end
                    }
                }
            }
        }
        self.slots = slots
        self.mask = mask
        self.hidden = hidden
    }

    /// The node whose path has this text; a literal root key comes before a nested path.
    @inline(__always)
    func find(_ text: UnsafeBufferPointer<UInt8>, in tree: ConfigTree) -> Int? {
        let hash = ConfigHash.hash(text)
        var at = Int(hash) & mask
        return slots.withUnsafeBufferPointer { slots in
            while true {
                let slot = slots[at]
                if slot == 0 { return nil }
                if UInt32(truncatingIfNeeded: slot >> 32) == hash {
                    let number = Int(UInt32(truncatingIfNeeded: slot))
                    if Self.matches(number, text, tree) { return number }
                }
                at = (at + 1) & mask
            }
        }
    }

    /// Whether a node's path has this text, compared from the last key to the first.
    @inline(__always)
    private static func matches(_ number: Int, _ text: UnsafeBufferPointer<UInt8>, _ tree: ConfigTree) -> Bool {
        tree.nodes.withUnsafeBufferPointer { nodes in
            tree.keyBytes.withUnsafeBufferPointer { keys in
                var number = number
                var rest = text.count
                while true {
                    let node = nodes[number]
                    let length = Int(node.keyLength)
                    let isRootKey = node.parent == 0
                    if node.flags.contains(.escapedKey), !(isRootKey && rest == text.count) {
                        return matchesEscaped(number, UnsafeBufferPointer(rebasing: text[0..<rest]), tree)
                    }
                    if length > rest { return false }
                    let from = rest - length
                    for at in 0..<length where text[from + at] != keys[Int(node.keyStart) + at] { return false }
                    if isRootKey { return from == 0 }
                    if from == 0 || text[from - 1] != UInt8(ascii: ".") { return false }
                    rest = from - 1
                    number = Int(node.parent)
                }
            }
        }
    }

    private static func matchesEscaped(_ number: Int, _ text: UnsafeBufferPointer<UInt8>, _ tree: ConfigTree) -> Bool {
        var keys: [Int] = []
        var at = number
        while at != 0 {
            keys.append(at)
            at = Int(tree.nodes[at].parent)
        }
        var bytes: [UInt8] = []
        for (depth, key) in keys.reversed().enumerated() {
            tree.withKey(of: key) { ConfigPath.append(key: $0, to: &bytes, isFirst: depth == 0) }
        }
        return bytes.elementsEqual(text)
    }
}
