/// The positions of the elements of a large container, with a hash index over the keys of an object.
final class JSONContainerIndex: Sendable {
    /// The positions of the elements, or of the keys.
    let positions: [UInt32]
    private let keys: HashIndex

    init(of container: Int, in document: JSONDocument) {
        positions = document.children(of: container).map { UInt32(truncatingIfNeeded: $0) }
        guard JSONTape.kind(document.word(at: container)) == JSONTape.object else {
            keys = HashIndex()
            return
        }
        var keys = HashIndex(expecting: positions.count)
        for position in positions {
            document.withUTF8(at: Int(position)) { key in
                // The last of equal keys wins.
                _ = keys.insert(Int(position), hash: ByteHash.hash(key), replaces: true) {
                    document.isKey(at: $0, equalTo: key)
                }
            }
        }
        self.keys = keys
    }

    func find(_ key: UnsafeBufferPointer<UInt8>, in document: JSONDocument) -> Int? {
        keys.find(ByteHash.hash(key)) { document.isKey(at: $0, equalTo: key) }
    }
}
