/// Text that is compared byte by byte.
///
/// `String` considers the composed and the decomposed form of a letter equal; names and patterns don't.
struct ByteText: Hashable, Sendable, CustomStringConvertible {
    let text: String
    var description: String { text }

    init(_ text: String) { self.text = text }

    static func == (a: Self, b: Self) -> Bool { a.text.hasSameBytes(as: b.text) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Returns whether two strings have the same bytes.
    func hasSameBytes(as other: String) -> Bool {
        let areSame: Bool?? = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { bytes.count == $0.count && bytes.elementsEqual($0) }
        }
        // Only strings that aren't native Swift strings have no contiguous storage.
        return (areSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension Sequence<String> {
    /// Returns whether a string has the same bytes as another one.
    func contains(bytesOf text: String) -> Bool { contains { $0.hasSameBytes(as: text) } }
}
