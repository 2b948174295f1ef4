import AshlarCore

// Public because the compiler doesn't inline `package` declarations into other modules. The target isn't a product.

/// The layout of a parsed document: 64-bit words in document order.
///
/// The top 4 bits of a word contain its kind, the next 28 a length, the next 4 a size, and the low 28 a byte offset in
/// the text. A scalar is one word with the offset and length of its text, without the quotes of a string. A key is one
/// word directly before its value. An array or object is one word followed by its content. Its offset is that of the
/// opening bracket, its length is the number of words it spans, and its size is the number of elements up to 13,
/// ``some`` for fewer than ``indexed`` elements, or ``many``.
public enum JSONTape {
    /// A word of the tape.
    public typealias Word = UInt64

    /// The value `null`.
    public static var null: Word { 1 }
    /// The value `false`.
    public static var falseValue: Word { 2 }
    /// The value `true`.
    public static var trueValue: Word { 3 }
    /// A number without a fraction or exponent.
    public static var integer: Word { 4 }
    /// A number with a fraction or an exponent.
    public static var fraction: Word { 5 }
    /// A string without escapes.
    public static var string: Word { 6 }
    /// A string with escapes.
    public static var escapedString: Word { 7 }
    /// An array.
    ///
    /// The top bit of a container's kind is set, so that one test is enough to step over a value.
    public static var array: Word { 8 }
    /// An object.
    public static var object: Word { 9 }
    /// A key without escapes.
    public static var key: Word { 10 }
    /// A key with escapes.
    public static var escapedKey: Word { 11 }

    /// The size of a container with at least 14 but fewer than `indexed` elements.
    public static var some: Int { 14 }
    /// The size of a container with `indexed` or more elements.
    public static var many: Int { 15 }
    /// The number of elements from which a container gets an index on its first access.
    public static var indexed: Int { 33 }

    static func word(_ kind: Word, length: Int, offset: Int) -> Word {
        kind << 60 | Word(truncatingIfNeeded: length) << 32 | Word(truncatingIfNeeded: offset)
    }

    /// Returns the kind of a word.
    public static func kind(_ word: Word) -> Word { word >> 60 }

    /// Returns whether a word is an array or an object.
    public static func isContainer(_ word: Word) -> Bool { kind(word) == array || kind(word) == object }

    /// Returns the length of a word's text, or the number of words of a container.
    public static func length(_ word: Word) -> Int { Int(truncatingIfNeeded: (word >> 32) & 0x0FFF_FFFF) }

    /// Returns the offset of a word in the text.
    public static func offset(_ word: Word) -> Int { Int(truncatingIfNeeded: word & 0x0FFF_FFFF) }

    /// Returns the size of a container's word.
    public static func size(_ word: Word) -> Int { Int(truncatingIfNeeded: (word >> 28) & 15) }

    /// The number of words of the value that starts with `word`, which isn't a key.
    public static func span(_ word: Word) -> Int { word >> 63 == 0 ? 1 : length(word) }

    /// The bits to set in a container's word when the container is complete.
    static func completion(span: Int, count: Int) -> Word {
        let size = count < some ? count : count < indexed ? some : many
        return Word(truncatingIfNeeded: span) << 32 | Word(truncatingIfNeeded: size) << 28
    }
}
