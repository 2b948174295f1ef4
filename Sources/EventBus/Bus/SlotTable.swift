internal import AshlarCore

/// The slots of a bus by name, in shards with one lock each.
final class SlotTable: Sendable {
    private static let shardCount = 16
    private let shards: [Shard]

    init() { shards = (0..<Self.shardCount).map { _ in Shard() } }

    private func shard(of hash: UInt64) -> Shard { shards[Int(truncatingIfNeeded: hash >> 56) % Self.shardCount] }

    /// Returns the slot with a name, if there is one.
    ///
    /// - Complexity: O(1), independent of the number of names.
    func find(_ name: UnsafeBufferPointer<UInt8>, hash: UInt64) -> TopicSlot? {
        shard(of: hash).table.withLock { $0.find(name, hash: hash) }
    }

    /// Returns the slot with a name; adds the slot that `make` returns if there is none.
    func findOrInsert(_ name: String, hash: UInt64, make: () -> TopicSlot) -> TopicSlot {
        var name = name
        return name.withUTF8 { bytes in
            shard(of: hash).table.withLock { table in
                if let slot = table.find(bytes, hash: hash) { return slot }
                let slot = make()
                table.insert(slot)
                return slot
            }
        }
    }

    /// Removes an unused slot, and closes it before another slot can have its name.
    func removeIfUnused(_ slot: TopicSlot) {
        let closed = shard(of: slot.hash).table.withLock { table in
            let closed = slot.close()
            if closed != nil { table.remove(slot) }
            return closed
        }
        closed?.end()
    }

    func removeAll() -> [TopicSlot] {
        shards.flatMap { shard in
            shard.table.withLock { table in
                defer { table = NameTable() }
                return table.all
            }
        }
    }

    /// All slots, in any order.
    ///
    /// - Complexity: O(*n*) in the number of names.
    var all: [TopicSlot] { shards.flatMap { shard in shard.table.withLock { $0.all } } }

    private final class Shard: Sendable {
        let table = Mutex(NameTable())
    }
}

/// A hash table with linear probing from names to slots.
private struct NameTable {
    /// The hashes of the names; 0 marks a free position, because no name has this hash.
    private var hashes: [UInt64] = []
    private var slots: [TopicSlot?] = []
    private var count = 0

    var all: [TopicSlot] { slots.compactMap { $0 } }

    func find(_ name: UnsafeBufferPointer<UInt8>, hash: UInt64) -> TopicSlot? {
        guard count > 0 else { return nil }
        var index = home(of: hash)
        while hashes[index] != 0 {
            if hashes[index] == hash, let slot = slots[index], slot.hasName(name) { return slot }
            index = next(index)
        }
        return nil
    }

    mutating func insert(_ slot: TopicSlot) {
        if (count + 1) * 4 > hashes.count * 3 { grow() }
        place(slot)
        count += 1
    }

    mutating func remove(_ slot: TopicSlot) {
        guard count > 0 else { return }
        var hole = home(of: slot.hash)
        while slots[hole] !== slot {
            if hashes[hole] == 0 { return }
            hole = next(hole)
        }
        // Moves later members of the run back, so that no search ends at the hole.
        var index = next(hole)
        while hashes[index] != 0 {
            let distance = (index &- home(of: hashes[index])) & (hashes.count - 1)
            if distance >= (index &- hole) & (hashes.count - 1) {
                (hashes[hole], slots[hole]) = (hashes[index], slots[index])
                hole = index
            }
            index = next(index)
        }
        (hashes[hole], slots[hole]) = (0, nil)
        count -= 1
    }

    private func home(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) >> 1 & (hashes.count - 1) }

    private func next(_ index: Int) -> Int { (index + 1) & (hashes.count - 1) }

    private mutating func place(_ slot: TopicSlot) {
        var index = home(of: slot.hash)
        while hashes[index] != 0 { index = next(index) }
        (hashes[index], slots[index]) = (slot.hash, slot)
    }

    private mutating func grow() {
        let old = all
        let capacity = max(8, hashes.count * 2)
        (hashes, slots) = (Array(repeating: 0, count: capacity), Array(repeating: nil, count: capacity))
        for slot in old { place(slot) }
    }
}

extension TopicSlot {
    fileprivate func hasName(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var name = name
        return name.withUTF8 { Span(_unsafeElements: $0).bytes.hasSameBytes(as: Span(_unsafeElements: bytes).bytes) }
    }
}
