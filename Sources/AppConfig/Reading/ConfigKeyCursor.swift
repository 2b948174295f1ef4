/// Finds the entries of one dictionary for a type that asks for them one after the other.
///
/// A type asks in the order it declares its properties in, however the file is sorted, and it did so the last time as
/// well: the entry that was found then is looked at first, and taken if it has the key. What else is asked for is
/// searched, from the entry behind the last one found, as keys are often asked for in the order they are written.
final class ConfigKeyCursor {
    /// Stands for no node.
    static let absent = 0

    let decoder: ConfigDecoder
    // Memory of the decoder's tree, which lives as long as the decoder.
    let nodes: UnsafeBufferPointer<ConfigNode>
    let strings: UnsafeBufferPointer<String>
    let readsAsSeed: Bool
    private let keys: UnsafePointer<UInt8>
    private let parent: Int
    private let end: Int
    private let order: ConfigKeyOrder
    private let knowsShortTexts = ConfigShortText.isAsKnown
    /// How many different keys were found so far.
    private var turn = 0
    private var last = absent
    /// The entries by key, made when a big dictionary has to be searched.
    private var table: ConfigKeyTable?

    init(_ decoder: ConfigDecoder, asking keys: Any.Type) {
        self.decoder = decoder
        let decoding = decoder.decoding
        (nodes, strings, self.keys) = (decoding.nodes, decoding.strings, decoding.keys)
        parent = decoder.node
        end = Int(decoding.nodes[decoder.node].end)
        readsAsSeed = decoding.readsAsSeed
        order = ConfigKeyOrder.of(ObjectIdentifier(keys))
    }

    /// The number of the entry with this key, or `absent`.
    @inline(__always)
    func find(_ name: String) -> Int {
        if knowsShortTexts, let short = ConfigShortText(name) {
            let expected = parent &+ order[turn]
            if isEntry(expected), hasKey(expected, short) { return found(expected) }
            if last != Self.absent, hasKey(last, short) { return last }
        }
        return search(name)
    }

    @inline(__always)
    private func found(_ node: Int) -> Int {
        turn &+= 1
        last = node
        return node
    }

    @inline(__always)
    private func isEntry(_ node: Int) -> Bool { node < end && Int(nodes[node].parent) == parent && node != parent }

    @inline(__always)
    private func hasKey(_ node: Int, _ name: ConfigShortText) -> Bool {
        let node = nodes[node]
        return Int(node.keyLength) == name.count && name.isEqual(to: keys + Int(node.keyStart))
    }

    @inline(never)
    private func search(_ name: String) -> Int {
        var name = name
        return name.withUTF8 { name in
            let expected = parent + order[turn]
            if isEntry(expected), hasKey(expected, name) { return found(expected) }
            if last != Self.absent, hasKey(last, name) { return last }
            let node = table == nil ? scan(name) : look(up: name)
            if node == Self.absent { return node }
            order.remember(node - parent, at: turn)
            return found(node)
        }
    }

    private func hasKey(_ node: Int, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        let node = nodes[node]
        guard Int(node.keyLength) == name.count else { return false }
        return UnsafeBufferPointer(start: keys + Int(node.keyStart), count: name.count).hasSameBytes(as: name)
    }

    /// How many entries are looked at before a table is worth its while.
    private static let patience = 32

    private func scan(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        let start = last == Self.absent || Int(nodes[last].end) >= end ? parent + 1 : Int(nodes[last].end)
        if start >= end { return Self.absent }
        var at = start
        var left = Self.patience
        repeat {
            if hasKey(at, name) { return at }
            left -= 1
            if left == 0 {
                makeTable()
                return look(up: name)
            }
            at = Int(nodes[at].end)
            if at >= end { at = parent + 1 }
        } while at != start
        return Self.absent
    }

    private func makeTable() {
        var made = ConfigKeyTable()
        made.reset(expecting: decoder.tree.count(of: parent))
        for child in decoder.tree.children(of: parent) {
            let key = UnsafeBufferPointer(
                start: keys + Int(nodes[child].keyStart), count: Int(nodes[child].keyLength))
            _ = made.insert(child, hash: ConfigHash.hash(key), isSame: { _ in false })
        }
        table = made
    }

    private func look(up name: UnsafeBufferPointer<UInt8>) -> Int {
        table?.find(hash: ConfigHash.hash(name), isSame: { hasKey($0, name) }) ?? Self.absent
    }
}
