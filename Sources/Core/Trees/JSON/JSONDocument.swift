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
    @usableFromInline let text: UnsafeMutablePointer<UInt8>
    /// The number of bytes of the text.
    package let textCount: Int
    @usableFromInline let tape: UnsafeMutablePointer<JSONTape.Word>

    /// Indexes of large containers that have been accessed, by position.
    private let indexes = Mutex<[Int: JSONContainerIndex]>([:])
    /// The lines of the text, once a position has been requested.
    let lines = Mutex<LineTable?>(nil)

    /// Limits and permitted extensions of the grammar.
    package struct Options: Hashable, Sendable {
        /// The maximum depth of nested containers, at most ``deepest``.
        package var depth: Int
        /// The maximum number of bytes, at most ``largest``.
        package var bytes: Int
        /// Whether a duplicate key in an object is an error; otherwise the last value wins.
        package var rejectsDuplicateKeys: Bool
        /// Whether `//` and `/* */` comments are permitted.
        package var allowsComments: Bool
        /// Whether a comma is permitted before a closing bracket.
        package var allowsTrailingCommas: Bool

        package static let deepest = 10_000
        package static let largest = (1 << 28) - 1

        /// Creates options; limits above ``deepest`` and ``largest`` are clamped.
        package init(
            depth: Int = 512, bytes: Int = Options.largest, rejectsDuplicateKeys: Bool = false,
            allowsComments: Bool = false, allowsTrailingCommas: Bool = false
        ) {
            self.depth = min(max(depth, 0), Self.deepest)
            self.bytes = min(max(bytes, 0), Self.largest)
            self.rejectsDuplicateKeys = rejectsDuplicateKeys
            self.allowsComments = allowsComments
            self.allowsTrailingCommas = allowsTrailingCommas
        }
    }

    /// Copies and parses a text; a byte order mark is skipped.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    package convenience init(
        _ bytes: UnsafeBufferPointer<UInt8>, options: Options = Options()
    ) throws(JSONSyntaxError) {
        try self.init(parsing: JSONBuffer(bytes, options), options)
    }

    /// Copies and parses a text; a byte order mark is skipped.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    package convenience init(_ bytes: [UInt8], options: Options = Options()) throws(JSONSyntaxError) {
        let buffer = try bytes.withUnsafeBufferPointer { bytes throws(JSONSyntaxError) in
            try JSONBuffer(bytes, options)
        }
        try self.init(parsing: buffer, options)
    }

    private init(parsing buffer: JSONBuffer, _ options: Options) throws(JSONSyntaxError) {
        do {
            tape = try buffer.parse(options)
            text = buffer.start
            textCount = buffer.count
        } catch {
            let failure = error.error(in: buffer.text, options)
            buffer.deallocate()
            throw failure
        }
    }

    private init(_ buffer: JSONBuffer, _ tape: UnsafeMutablePointer<JSONTape.Word>) {
        self.tape = tape
        text = buffer.start
        textCount = buffer.count
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

    /// Parses as much of a text as possible.
    ///
    /// The parser drops the element or member that contains an error and continues after it. It inserts missing commas
    /// and closing brackets, ignores trailing commas, and reports each of these as an error. It skips comments and
    /// reports the first one. After 100 errors, it ignores the rest of the text. Duplicate keys are permitted.
    ///
    /// - Returns: The document, or nil if no part of it can be parsed, and the errors in the order of the text.
    /// - Complexity: O(*n* · *e*) in the length of the text and the number of errors.
    package static func recovering(
        _ bytes: [UInt8], options: Options = Options()
    ) -> (document: JSONDocument?, errors: [JSONSyntaxError]) {
        var options = options
        options.rejectsDuplicateKeys = false
        var buffer: JSONBuffer
        do {
            buffer = try bytes.withUnsafeBufferPointer { bytes throws(JSONSyntaxError) in
                try JSONBuffer(bytes, options, room: Options.deepest)
            }
        } catch {
            return (nil, [error])
        }
        var errors: [JSONSyntaxError] = []
        while true {
            do {
                return (JSONDocument(buffer, try buffer.parse(options)), errors)
            } catch {
                // A dropped root leaves an empty text, which isn't another error.
                let isEmpty = error.open.isEmpty && error.offset >= buffer.count
                if !isEmpty || errors.isEmpty { errors.append(error.error(in: buffer.text, options)) }
                guard buffer.repair(error, isLast: errors.count == 100) else {
                    buffer.deallocate()
                    return (nil, errors)
                }
            }
        }
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
