import Foundation
import Synchronization

/// The text of a document and its tape; shared by all entities that look into it.
///
/// Immutable after `init` but for the lazily built indexes of large containers.
final class JSONDocument: @unchecked Sendable {
    // Sendable because text and tape are never written after init, and the rest are Mutexes.

    /// The text, followed by at least `JSONParser.padding` zero bytes.
    let text: UnsafeMutablePointer<UInt8>
    let textCount: Int
    let tape: UnsafeMutablePointer<JSONTape.Word>
    let tapeCount: Int

    /// Indexes of large containers that have been looked into, by tape position.
    private let indexes = Mutex<[Int: JSONContainerIndex]>([:])
    /// Where the lines of the text begin, once a position has been asked for.
    private let lineStarts = Mutex<[Int32]?>(nil)

    /// Copies and parses a text.
    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) throws(NetworkError) {
        if bytes.count > limits.bytes {
            var error = NetworkError(
                .jsonLimit, "the document has \(bytes.count) bytes; allowed are \(limits.bytes)")
            error.limit = limits.bytes
            throw error
        }
        let text = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count + JSONParser.padding)
        if let start = bytes.baseAddress { text.update(from: start, count: bytes.count) }
        (text + bytes.count).update(repeating: 0, count: JSONParser.padding)
        let parsed: JSONParser.Tape
        do {
            parsed = try JSONParser.parse(text, count: bytes.count, limits: limits)
        } catch {
            let failure = error.networkError(in: UnsafeBufferPointer(start: text, count: bytes.count), limits: limits)
            text.deallocate()
            throw failure
        }
        (self.text, textCount) = (text, bytes.count)
        (tape, tapeCount) = (parsed.words, parsed.count)
    }

    /// A document without a value, for entities that look at nothing.
    private init() {
        text = .allocate(capacity: 1)
        text.pointee = 0
        tape = malloc(MemoryLayout<JSONTape.Word>.stride)!.assumingMemoryBound(to: JSONTape.Word.self)
        tape.pointee = JSONTape.word(JSONTape.null, length: 0, offset: 0)
        (textCount, tapeCount) = (0, 1)
    }

    static let empty = JSONDocument()
    /// A document of its own for values that cannot be made.
    static let impossible = JSONDocument()

    deinit {
        text.deallocate()
        free(tape)
    }
}

extension JSONDocument {
    /// The position behind the value at `index`.
    @inline(__always)
    func next(after index: Int) -> Int {
        let word = tape[index]
        return word >> 63 == 0 ? index + 1 : index + JSONTape.length(word)
    }

    /// The number of elements or members of the container at `container`.
    func count(of container: Int) -> Int {
        let size = JSONTape.size(tape[container])
        if size < JSONTape.some { return size }
        if size == JSONTape.many { return index(of: container).positions.count }
        return positions(in: container).count
    }

    /// The position of an element of the array at `array`, or nil.
    func element(_ number: Int, of array: Int) -> Int? {
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

    /// The positions of the elements, or of the keys of the members, of the container at `container`.
    func positions(in container: Int) -> [UInt32] {
        let isObject = JSONTape.kind(tape[container]) == JSONTape.object
        let end = next(after: container)
        var positions: [UInt32] = []
        var position = container + 1
        while position < end {
            positions.append(UInt32(truncatingIfNeeded: position))
            position = next(after: isObject ? position + 1 : position)
        }
        return positions
    }

    /// The text of the scalar or key at `index`, without quotes.
    @inline(__always)
    func bytes(at index: Int) -> UnsafeBufferPointer<UInt8> {
        let word = tape[index]
        return UnsafeBufferPointer(start: text + JSONTape.offset(word), count: JSONTape.length(word))
    }

    /// Where the scalar or key at `index` stands in the text, quotes included; of a container, the opening bracket.
    func range(of index: Int) -> Range<Int> {
        let word = tape[index]
        let start = JSONTape.offset(word)
        switch JSONTape.kind(word) {
        case JSONTape.array, JSONTape.object: return start..<(start + 1)
        case JSONTape.string, JSONTape.escapedString, JSONTape.key, JSONTape.escapedKey:
            return (start - 1)..<(start + JSONTape.length(word) + 1)
        default: return start..<(start + JSONTape.length(word))
        }
    }

    /// The string or key at `index`, escapes resolved.
    @inline(__always)
    func string(at index: Int) -> String {
        let kind = JSONTape.kind(tape[index])
        if kind == JSONTape.string || kind == JSONTape.key { return String(decoding: bytes(at: index), as: UTF8.self) }
        return JSONText.unescaped(bytes(at: index))
    }

    /// Finds a key in the object at `object` and returns the position of the last key that equals it.
    ///
    /// Keys are compared byte by byte, without Unicode normalization. O(*n*) up to 32 members, O(1) beyond.
    @inline(__always)
    func find(_ key: String, in object: Int) -> Int? {
        var key = key
        return key.withUTF8 { find($0, in: object) }
    }

    func find(_ key: UnsafeBufferPointer<UInt8>, in object: Int) -> Int? {
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

    @inline(__always)
    private static func equal(_ a: UnsafePointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = b.baseAddress, b.count > 0 else { return true }
        return a.pointee == start.pointee && memcmp(a, start, b.count) == 0
    }

    func isKey(at index: Int, equalTo key: UnsafeBufferPointer<UInt8>) -> Bool {
        let word = tape[index]
        if JSONTape.kind(word) == JSONTape.escapedKey { return isEscapedKey(at: index, equalTo: key) }
        return JSONTape.length(word) == key.count && Self.equal(text + JSONTape.offset(word), key)
    }

    private func isEscapedKey(at index: Int, equalTo key: UnsafeBufferPointer<UInt8>) -> Bool {
        let raw = bytes(at: index)
        // An escape is never shorter than what it stands for.
        guard raw.count >= key.count else { return false }
        return JSONText.unescapedBytes(raw).elementsEqual(key)
    }

    /// Line and column of an offset, both from 1, the column in bytes; a line ends with LF.
    func position(of offset: Int) -> (line: Int, column: Int) {
        lineStarts.withLock { lineStarts in
            let starts = lineStarts ?? startsOfLines()
            lineStarts = starts
            var (low, high) = (0, starts.count)
            while high - low > 1 {
                let middle = (low + high) / 2
                if Int(starts[middle]) <= offset { low = middle } else { high = middle }
            }
            return (low + 1, offset - Int(starts[low]) + 1)
        }
    }

    private func startsOfLines() -> [Int32] {
        var starts: [Int32] = [0]
        for index in 0..<textCount where text[index] == 0x0A { starts.append(Int32(truncatingIfNeeded: index + 1)) }
        return starts
    }

    func index(of container: Int) -> JSONContainerIndex {
        if let index = indexes.withLock({ $0[container] }) { return index }
        let index = JSONContainerIndex(of: container, in: self)
        return indexes.withLock { indexes in
            if let other = indexes[container] { return other }
            indexes[container] = index
            return index
        }
    }
}

/// Where the elements of a large container are, and for an object a hash table over its keys.
final class JSONContainerIndex: Sendable {
    /// The positions of the elements, or of the keys.
    let positions: [UInt32]
    /// Positions of keys on the tape, of equal keys that of the last; 0, where no key can stand, is free.
    private let slots: [UInt32]

    init(of container: Int, in document: JSONDocument) {
        positions = document.positions(in: container)
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
            let raw = document.bytes(at: Int(position))
            if JSONTape.kind(document.tape[Int(position)]) == JSONTape.escapedKey {
                JSONText.unescapedBytes(raw).withUnsafeBufferPointer(insert)
            } else {
                insert(raw)
            }
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

    /// Seeded per process, so that keys cannot be chosen to collide.
    private static func hash(_ key: UnsafeBufferPointer<UInt8>) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(key))
        return hasher.finalize()
    }
}
