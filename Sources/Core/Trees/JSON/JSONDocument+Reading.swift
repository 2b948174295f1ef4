import AshlarCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// A kind of value, for an exhaustive `switch`.
package enum JSONKind: Hashable, Sendable {
    case null, bool, integer, fraction, string, array, object
}

extension JSONDocument {
    // MARK: Tape

    /// Returns the word at a position.
    public func word(at index: Int) -> JSONTape.Word { tape[index] }

    /// Returns the position after the value at a position.
    public func next(after index: Int) -> Int { index + JSONTape.span(tape[index]) }

    /// Returns the kind of the value at a position.
    package func kind(at index: Int) -> JSONKind {
        switch JSONTape.kind(tape[index]) {
        case JSONTape.null: .null
        case JSONTape.falseValue, JSONTape.trueValue: .bool
        case JSONTape.integer: .integer
        case JSONTape.fraction: .fraction
        case JSONTape.array: .array
        case JSONTape.object: .object
        default: .string
        }
    }

    /// Returns the bytes of the scalar or key at a position, as in the text, without quotes.
    ///
    /// The bytes are valid during the lifetime of the document.
    public func bytes(at index: Int) -> UnsafeBufferPointer<UInt8> {
        let word = tape[index]
        return UnsafeBufferPointer(start: text + JSONTape.offset(word), count: JSONTape.length(word))
    }

    /// Returns the byte range of the scalar or key at a position, including quotes; for a container, the range of its
    /// opening bracket.
    package func range(of index: Int) -> Range<Int> {
        let word = tape[index]
        let start = JSONTape.offset(word)
        switch JSONTape.kind(word) {
        case JSONTape.array, JSONTape.object: return start..<(start + 1)
        case JSONTape.string, JSONTape.escapedString, JSONTape.key, JSONTape.escapedKey:
            return (start - 1)..<(start + JSONTape.length(word) + 1)
        default: return start..<(start + JSONTape.length(word))
        }
    }

    /// Appends the bytes of the scalar or key at a position, as in the text, with quotes.
    package func copy(_ index: Int, to output: inout [UInt8]) {
        let range = range(of: index)
        output.append(contentsOf: UnsafeBufferPointer(start: text + range.lowerBound, count: range.count))
    }

    // MARK: Scalars

    /// Returns the string or key at a position, with escapes resolved.
    package func string(at index: Int) -> String {
        hasEscapes(at: index)
            ? JSONText.unescaped(bytes(at: index)) : String(decoding: bytes(at: index), as: UTF8.self)
    }

    /// Calls `body` with the UTF-8 of the string or key at a position, with escapes resolved.
    package func withUTF8<R, E: Error>(
        at index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        if !hasEscapes(at: index) { return try body(bytes(at: index)) }
        return try JSONText.unescapedBytes(bytes(at: index)).withUnsafeBufferPointer(body)
    }

    /// Whether the string or key at a position contains escapes.
    package func hasEscapes(at index: Int) -> Bool {
        let kind = JSONTape.kind(tape[index])
        return kind == JSONTape.escapedString || kind == JSONTape.escapedKey
    }

    /// Whether the value at a position is `true`.
    package func isTrue(at index: Int) -> Bool { JSONTape.kind(tape[index]) == JSONTape.trueValue }

    /// Returns the number at a position, which borrows the document's text.
    package func number(at index: Int) -> JSONNumber { JSONNumber(text: bytes(at: index)) }

    /// Returns the number at a position as an integer, or nil if it isn't an integer or doesn't fit.
    package func int64(at index: Int) -> Int64? { number(at: index).int64 }

    /// Returns the number at a position as an unsigned integer, or nil if it isn't an integer or doesn't fit.
    package func uint64(at index: Int) -> UInt64? { number(at: index).integer(UInt64.self) }

    /// Returns the double nearest to the number at a position, or nil if the number is too large.
    package func double(at index: Int) -> Double? { number(at: index).double }

    // MARK: Containers

    /// The positions of a container's elements, or of its keys; the value of a key is at the next position.
    package struct Children: Sequence, IteratorProtocol {
        private let document: JSONDocument
        private let skip: Int
        private var position: Int
        private let end: Int

        init(of container: Int, in document: JSONDocument) {
            self.document = document
            skip = JSONTape.kind(document.tape[container]) == JSONTape.object ? 1 : 0
            (position, end) = (container + 1, document.next(after: container))
        }

        package mutating func next() -> Int? {
            guard position < end else { return nil }
            defer { position = document.next(after: position + skip) }
            return position
        }
    }

    /// Returns the positions of an array's elements, or of an object's keys, in document order.
    package func children(of container: Int) -> Children { Children(of: container, in: self) }

    /// Returns the number of elements or members of a container.
    package func count(of container: Int) -> Int {
        let size = JSONTape.size(tape[container])
        if size < JSONTape.some { return size }
        if size == JSONTape.many { return index(of: container).positions.count }
        return children(of: container).reduce(0) { count, _ in count + 1 }
    }

    /// Returns the position of an element of an array, or nil if the index is out of range.
    package func element(_ number: Int, of array: Int) -> Int? {
        guard number >= 0 else { return nil }
        if JSONTape.size(tape[array]) == JSONTape.many {
            let positions = index(of: array).positions
            return number < positions.count ? Int(positions[number]) : nil
        }
        let end = next(after: array)
        var position = array + 1
        for _ in 0..<min(number, JSONTape.indexed) where position < end { position = next(after: position) }
        return position < end ? position : nil
    }

    // MARK: Keys

    /// Returns the position of the last key of an object that equals `key`, or nil.
    ///
    /// Keys are compared byte by byte, without Unicode normalization.
    ///
    /// - Complexity: O(*n*) for up to 32 members, otherwise O(1) after a first call of O(*n*).
    package func find(_ key: String, in object: Int) -> Int? {
        var key = key
        return key.withUTF8 { find($0, in: object) }
    }

    package func find(_ key: UnsafeBufferPointer<UInt8>, in object: Int) -> Int? {
        if JSONTape.size(tape[object]) == JSONTape.many { return index(of: object).find(key, in: self) }
        // The upper half of the word of a key without escapes that has this length.
        let plain = UInt32(truncatingIfNeeded: JSONTape.word(JSONTape.key, length: key.count, offset: 0) >> 32)
        let end = next(after: object)
        var index = object + 1
        var found = -1
        while index < end {
            let word = tape[index]
            if UInt32(truncatingIfNeeded: word >> 32) == plain {
                if Self.equal(text + JSONTape.offset(word), key) { found = index }
            } else if JSONTape.kind(word) == JSONTape.escapedKey, isEscapedKey(at: index, equalTo: key) {
                found = index
            }
            index = next(after: index + 1)
        }
        return found < 0 ? nil : found
    }

    private static func equal(_ a: UnsafePointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = b.baseAddress, b.count > 0 else { return true }
        return a.pointee == start.pointee && memcmp(a, start, b.count) == 0
    }

    /// Whether the key at a position equals `key`.
    func isKey(at index: Int, equalTo key: UnsafeBufferPointer<UInt8>) -> Bool {
        let word = tape[index]
        if JSONTape.kind(word) == JSONTape.escapedKey { return isEscapedKey(at: index, equalTo: key) }
        return JSONTape.length(word) == key.count && Self.equal(text + JSONTape.offset(word), key)
    }

    private func isEscapedKey(at index: Int, equalTo key: UnsafeBufferPointer<UInt8>) -> Bool {
        let raw = bytes(at: index)
        // An escape is never shorter than the character it represents.
        guard raw.count >= key.count else { return false }
        return JSONText.unescapedBytes(raw).elementsEqual(key)
    }
}

/// Paths, lines and columns of values.
extension JSONDocument {
    /// A step from a container to a value directly inside it.
    package enum Step {
        /// A member, by the position of its key.
        case key(Int)
        /// An element, by its number.
        case index(Int)
    }

    /// Calls `body` with each step from the value at `start` to the value at `target` inside it.
    ///
    /// - Complexity: O(log *n*) for each step.
    package func walk(from start: Int, to target: Int, _ body: (Step) -> Void) {
        var current = start
        while current < target {
            let isObject = JSONTape.kind(tape[current]) == JSONTape.object
            let (number, position) = member(of: current, around: target)
            body(isObject ? .key(position) : .index(number))
            current = isObject ? position + 1 : position
        }
    }

    /// Returns the path of the value at a position.
    package func path(to target: Int) -> String {
        var path = "$"
        walk(from: 0, to: target) { step in
            switch step {
            case .key(let position): path += JSONText.pathStep(string(at: position))
            case .index(let number): path += "[\(number)]"
            }
        }
        return path
    }

    /// Returns the number and position of the element, or of the member's key, that contains `target`.
    private func member(of container: Int, around target: Int) -> (number: Int, position: Int) {
        if JSONTape.size(tape[container]) == JSONTape.many {
            let positions = index(of: container).positions
            var (low, high) = (0, positions.count)
            while high - low > 1 {
                let middle = (low + high) / 2
                if Int(positions[middle]) <= target { low = middle } else { high = middle }
            }
            return (low, Int(positions[low]))
        }
        let isObject = JSONTape.kind(tape[container]) == JSONTape.object
        var (number, position) = (0, container + 1)
        while true {
            let following = next(after: isObject ? position + 1 : position)
            if target < following { return (number, position) }
            (number, position) = (number + 1, following)
        }
    }

    /// Returns the line and the column in bytes of an offset, both from 1; lines end with LF, CR LF or CR.
    ///
    /// - Complexity: O(log *n*) in the number of lines, after a first call of O(*n*) in the length of the text.
    package func position(of offset: Int) -> (line: Int, column: Int) {
        lines.withLock { lines in
            let table = lines ?? LineTable(Array(UnsafeBufferPointer(start: text, count: textCount)))
            lines = table
            return table.position(of: offset)
        }
    }
}

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
