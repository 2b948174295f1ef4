/// The words a parsed document is made of.
///
/// A word is 64 bits: the kind in the top 4, a length in the next 28, a byte offset into the text in the low 32.
/// A scalar is one word: the offset and length of its text (of a string, without the quotes). A key is one word and
/// stands right before its value. An array or object is two words and then its content: the first holds the offset
/// of the bracket and, as length, how many words it spans; the second the number of its elements or members and
/// the offset behind the closing bracket.
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
    /// The second word of a container.
    static let extent: Word = 10
    static let key: Word = 11
    static let escapedKey: Word = 12

    @inline(__always)
    static func word(_ kind: Word, length: Int, offset: Int) -> Word {
        kind << 60 | Word(truncatingIfNeeded: length) << 32 | Word(truncatingIfNeeded: offset)
    }

    @inline(__always)
    static func kind(_ word: Word) -> Word { word >> 60 }

    @inline(__always)
    static func length(_ word: Word) -> Int { Int(truncatingIfNeeded: (word >> 32) & 0x0FFF_FFFF) }

    @inline(__always)
    static func offset(_ word: Word) -> Int { Int(truncatingIfNeeded: word & 0xFFFF_FFFF) }
}
