internal import AshlarCore

/// Text that is compared byte by byte.
///
/// `String` considers the composed and the decomposed form of a letter equal; names and patterns don't.
struct ByteText: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (a: Self, b: Self) -> Bool {
        var (a, b) = (a.text, b.text)
        return a.withUTF8 { a in
            b.withUTF8 { b in Span(_unsafeElements: a).bytes.hasSameBytes(as: Span(_unsafeElements: b).bytes) }
        }
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
