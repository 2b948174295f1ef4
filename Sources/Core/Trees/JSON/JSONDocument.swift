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

/// A parsed JSON text: the text, its tape, and lazily built indexes of large containers.
///
/// Values are addressed by their position on the tape; the root is at position 0. Only positions that this type returns
/// are valid. The document is thread-safe.
///
/// ```swift
/// let document = try JSONDocument(Array(#"{"port": 80}"#.utf8))
/// if let key = document.find("port", in: 0) { document.int64(at: key + 1) }  // 80
/// ```
public final class JSONDocument: @unchecked Sendable {
    // Unchecked because of the pointers. The text and the tape don't change after initialization. Raw memory avoids
    // bounds checks on every read, lets the tape grow in place, and shrinks it to its final size; arrays can't do this.

    /// The text, followed by `JSONParser.padding` zero bytes.
    let text: UnsafeMutablePointer<UInt8>
    /// The number of bytes of the text.
    package let textCount: Int
    let tape: UnsafeMutablePointer<JSONTape.Word>

    /// Indexes of large containers that have been accessed, by position.
    private let indexes = Mutex<[Int: JSONContainerIndex]>([:])
    /// The lines of the text, once a position has been requested.
    let lines = Mutex<LineTable?>(nil)

    /// Limits, and whether comments are permitted.
    package struct Options: Hashable, Sendable {
        /// The maximum depth of nested containers, at most ``deepest``.
        package var depth: Int
        /// The maximum number of bytes, at most ``largest``.
        package var bytes: Int
        /// Whether a duplicate key in an object is an error; otherwise the last value wins.
        package var rejectsDuplicateKeys: Bool
        /// Whether `//` and `/* */` comments are permitted.
        package var allowsComments: Bool

        package static let deepest = 10_000
        package static let largest = (1 << 28) - 1

        /// Creates options; limits above ``deepest`` and ``largest`` are clamped.
        package init(
            depth: Int = 512, bytes: Int = Options.largest, rejectsDuplicateKeys: Bool = false,
            allowsComments: Bool = false
        ) {
            self.depth = min(max(depth, 0), Self.deepest)
            self.bytes = min(max(bytes, 0), Self.largest)
            self.rejectsDuplicateKeys = rejectsDuplicateKeys
            self.allowsComments = allowsComments
        }
    }

    /// Copies and parses a text; a byte order mark is skipped.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    package convenience init(
        _ bytes: UnsafeBufferPointer<UInt8>, options: Options = Options()
    ) throws(JSONSyntaxError) {
        try self.init(parsing: Self.padded(bytes, options), options)
    }

    /// Copies and parses a text; a byte order mark is skipped.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    package convenience init(_ bytes: [UInt8], options: Options = Options()) throws(JSONSyntaxError) {
        let copy = try bytes.withUnsafeBufferPointer { bytes throws(JSONSyntaxError) in
            try Self.padded(bytes, options)
        }
        try self.init(parsing: copy, options)
    }

    private init(parsing copy: UnsafeMutableBufferPointer<UInt8>, _ options: Options) throws(JSONSyntaxError) {
        let start = copy.baseAddress!
        if options.allowsComments { Self.blankComments(in: copy) }
        do {
            tape = try JSONParser.parse(start, count: copy.count, options: options)
        } catch {
            let failure = error.error(in: UnsafeBufferPointer(copy), options)
            start.deallocate()
            throw failure
        }
        text = start
        textCount = copy.count
    }

    /// Returns a copy of a text, after which the parser's zero bytes are allocated.
    private static func padded(
        _ bytes: UnsafeBufferPointer<UInt8>, _ options: Options
    ) throws(JSONSyntaxError) -> UnsafeMutableBufferPointer<UInt8> {
        guard bytes.count <= options.bytes else {
            throw JSONSyntaxError(
                kind: .size, message: "a document of \(bytes.count) bytes exceeds the limit of \(options.bytes)",
                offset: options.bytes, line: 1, column: 1, path: "$", steps: [], limit: options.bytes)
        }
        let start = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count + JSONParser.padding)
        if let source = bytes.baseAddress { start.update(from: source, count: bytes.count) }
        (start + bytes.count).update(repeating: 0, count: JSONParser.padding)
        return UnsafeMutableBufferPointer(start: start, count: bytes.count)
    }

    /// Overwrites comments with spaces, so that offsets and lines stay; an unterminated comment stays.
    private static func blankComments(in text: UnsafeMutableBufferPointer<UInt8>) {
        var index = 0
        var isInString = false
        while index + 1 < text.count {
            var end = index + 1
            var isComment = false
            switch (text[index], text[end]) {
            case (.quote, _): isInString.toggle()
            case (.backslash, _) where isInString: end += 1
            case (.slash, .slash) where !isInString:
                isComment = true
                while end < text.count, text[end] != .lineFeed, text[end] != .carriageReturn { end += 1 }
            case (.slash, .asterisk) where !isInString:
                isComment = true
                end += 2
                while end < text.count, text[end - 1] != .asterisk || text[end] != .slash { end += 1 }
                guard end < text.count else { return }
                end += 1
            default: break
            }
            if isComment {
                for index in index..<end where text[index] != .lineFeed && text[index] != .carriageReturn {
                    text[index] = .space
                }
            }
            index = end
        }
    }

    /// Creates a document that contains `null` and has no text.
    package init() {
        text = .allocate(capacity: 1)
        text.pointee = 0
        tape = malloc(MemoryLayout<JSONTape.Word>.stride)!.assumingMemoryBound(to: JSONTape.Word.self)
        tape.pointee = JSONTape.word(JSONTape.null, length: 0, offset: 0)
        textCount = 0
    }

    deinit {
        text.deallocate()
        free(tape)
    }

    /// Returns the index of a large container.
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
