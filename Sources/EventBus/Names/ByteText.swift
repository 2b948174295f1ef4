internal import AshlarCore

/// Text that is compared byte by byte.
///
/// `String` considers the composed and the decomposed form of a letter equal; names and patterns don't.
struct ByteText: Hashable, Sendable {
    let text: String

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
        var (a, b) = (self, other)
        return a.withUTF8 { a in
            b.withUTF8 { b in Span(_unsafeElements: a).bytes.hasSameBytes(as: Span(_unsafeElements: b).bytes) }
        }
    }
}
