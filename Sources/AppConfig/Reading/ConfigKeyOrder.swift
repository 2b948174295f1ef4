import Synchronization

/// Where a type's keys stood in the dictionary that it was last decoded from, in the order in which it asked for them.
///
/// Only a guess, which is compared with the key that is asked for: another dictionary may have another order. Shared by
/// all that decode the type, on any thread, and kept as long as the process, as types are.
struct ConfigKeyOrder: @unchecked Sendable {
    /// The keys of bigger types are searched from here on.
    private static let capacity = 128

    private struct Contents: ~Copyable {
        let type: ObjectIdentifier
        let offsets: UnsafeMutablePointer<Atomic<UInt32>>
    }

    // Never moved or freed; the type never changes, each offset is atomic by itself and a guess.
    private let contents: UnsafeMutablePointer<Contents>

    private init(_ type: ObjectIdentifier) {
        let offsets = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: Self.capacity + 1)
        for turn in 0...Self.capacity { (offsets + turn).initialize(to: Atomic(0)) }
        contents = .allocate(capacity: 1)
        contents.initialize(to: Contents(type: type, offsets: offsets))
    }

    /// How far behind the dictionary its entry stood that was the `turn`th to be found; 0 if nothing is known.
    @inline(__always)
    subscript(_ turn: Int) -> Int {
        Int(contents.pointee.offsets[min(turn, Self.capacity)].load(ordering: .relaxed))
    }

    func remember(_ offset: Int, at turn: Int) {
        if turn < Self.capacity { contents.pointee.offsets[turn].store(UInt32(offset), ordering: .relaxed) }
    }

    // MARK: All types

    private static let recentCount = 64
    /// Some of the orders by the address of their type, which are found without a lock.
    private static let recent: Recent = {
        let slots = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: recentCount)
        for slot in 0..<recentCount { (slots + slot).initialize(to: Atomic(0)) }
        return Recent(slots: slots)
    }()
    private static let all = Mutex<[ObjectIdentifier: ConfigKeyOrder]>([:])

    // Never freed, and each slot is atomic.
    private struct Recent: @unchecked Sendable {
        let slots: UnsafeMutablePointer<Atomic<UInt>>
    }

    private init(_ contents: UnsafeMutablePointer<Contents>) { self.contents = contents }

    /// The order of a type, made if there is none yet.
    static func of(_ type: ObjectIdentifier) -> ConfigKeyOrder {
        let slot = recent.slots + Int(UInt(bitPattern: type) / 16 % UInt(recentCount))
        if let known = UnsafeMutablePointer<Contents>(bitPattern: slot.pointee.load(ordering: .acquiring)),
            known.pointee.type == type
        {
            return ConfigKeyOrder(known)
        }
        let order = all.withLock { orders in
            let order = orders[type] ?? ConfigKeyOrder(type)
            orders[type] = order
            return order
        }
        slot.pointee.store(UInt(bitPattern: order.contents), ordering: .releasing)
        return order
    }
}
