/// The words a parsed document is made of.
///
/// A word is 64 bits: the kind in the top 4, a length in the next 28, a size in the next 4, and in the low 28 a byte
/// offset into the text. A scalar is one word: the offset and length of its text (of a string, without the quotes). A
/// key is one word and stands right before its value. An array or object is one word and then its content: the offset
/// of the bracket, how many words it spans, and its size: the number of elements or members up to 13, then ``some``
/// up to ``indexed`` - 1, then ``many``.
enum JSONTape {
    typealias Word = UInt64

    static let null: Word = 1
    static let falseValue: Word = 2
    static let trueValue: Word = 3
    /// A number without fraction and exponent.
    static let integer: Word = 4
    /// A number with a fraction or an exponent.
    static let fraction: Word = 5
    static let string: Word = 6
    static let escapedString: Word = 7
    /// Containers have the top bit set, so that stepping over a value is one test.
    static let array: Word = 8
    static let object: Word = 9
    static let key: Word = 10
    static let escapedKey: Word = 11

    /// The size of a container with 14 elements or more, but fewer than `indexed`.
    static let some = 14
    /// The size of a container with `indexed` elements or more.
    static let many = 15
    /// From how many elements or members on a container gets an index when it is looked into.
    static let indexed = 33

    @inline(__always)
    static func word(_ kind: Word, length: Int, offset: Int) -> Word {
        kind << 60 | Word(truncatingIfNeeded: length) << 32 | Word(truncatingIfNeeded: offset)
    }

    @inline(__always)
    static func kind(_ word: Word) -> Word { word >> 60 }

    @inline(__always)
    static func length(_ word: Word) -> Int { Int(truncatingIfNeeded: (word >> 32) & 0x0FFF_FFFF) }

    @inline(__always)
    static func offset(_ word: Word) -> Int { Int(truncatingIfNeeded: word & 0x0FFF_FFFF) }

    /// The size of a container, as described above.
    @inline(__always)
    static func size(_ word: Word) -> Int { Int(truncatingIfNeeded: (word >> 28) & 15) }

    /// What is to be set in a container's word when it is complete.
    @inline(__always)
    static func completion(span: Int, count: Int) -> Word {
        let size = count < some ? count : count < indexed ? some : many
        return Word(truncatingIfNeeded: span) << 32 | Word(truncatingIfNeeded: size) << 28
    }
}
