/// The positions of the elements of a large container, with a hash table over the keys of an object.
final class JSONContainerIndex: Sendable {
    /// The positions of the elements, or of the keys.
    let positions: [UInt32]
    /// The positions of keys, the last one for equal keys; a free slot is 0, which is never a key's position.
    private let slots: [UInt32]

    init(of container: Int, in document: JSONDocument) {
        positions = document.children(of: container).map { UInt32(truncatingIfNeeded: $0) }
        guard JSONTape.kind(document.tape[container]) == JSONTape.object else {
            slots = []
            return
        }
        var size = 64
        while size < positions.count * 2 { size *= 2 }
        var slots = [UInt32](repeating: 0, count: size)
        for position in positions {
            func insert(_ key: UnsafeBufferPointer<UInt8>) {
                var slot = Self.hash(key) & (size - 1)
                while slots[slot] != 0, !document.isKey(at: Int(slots[slot]), equalTo: key) {
                    slot = (slot + 1) & (size - 1)
                }
                slots[slot] = position
            }
            document.withUTF8(at: Int(position), insert)
        }
        self.slots = slots
    }

    func find(_ key: UnsafeBufferPointer<UInt8>, in document: JSONDocument) -> Int? {
        var slot = Self.hash(key) & (slots.count - 1)
        while slots[slot] != 0 {
            let index = Int(slots[slot])
            if document.isKey(at: index, equalTo: key) { return index }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Returns a hash seeded for each process, so that an attacker can't choose colliding keys.
    private static func hash(_ key: UnsafeBufferPointer<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(key))
        return hasher.finalize()
    }
}
