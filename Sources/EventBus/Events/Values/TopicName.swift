internal import AshlarCore

/// The package's mutex; the alias takes precedence over the type in `Synchronization` if both are imported.
typealias Mutex = AshlarCore.Mutex

/// The rules for topic names: 1 to 255 bytes of UTF-8, segments separated by `:`, no empty segment, no `*`.
enum TopicName {
    static let longest = 255
    static let separator = UInt8(ascii: ":")
    static let star = UInt8(ascii: "*")

    /// Returns whether a name satisfies the rules.
    ///
    /// Row "trigger by a bare name that nobody watches": 25 ns, and 90 ns with a string and a search for the mistake.
    static func isWellFormed(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        var isValid = 1...longest ~= name.count
        var last = separator
        for byte in name {
            if byte == star || byte == separator && last == separator { isValid = false }
            last = byte
        }
        return isValid && last != separator
    }

    /// Returns the error of a malformed name, or nil.
    static func mistake(in name: String) -> EventBusError? {
        func error(_ offset: Int, _ expected: String, _ found: String) -> EventBusError {
            EventBusError(.malformedName, subject: name, offset: offset, expected: expected, found: found)
        }
        let count = name.utf8.count
        guard count > 0 else { return error(0, "1 to \(longest) bytes", "an empty name") }
        guard count <= longest else { return error(longest, "1 to \(longest) bytes", "\(count) bytes") }
        var start = 0
        for (offset, byte) in name.utf8.enumerated() {
            if byte == star { return error(offset, "a name without '*'", "'*', which only patterns may hold") }
            guard byte == separator else { continue }
            if offset == start { return error(offset, "a segment", "':'") }
            start = offset + 1
        }
        return start == count ? error(start, "a segment after ':'", "the end of the name") : nil
    }
}

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
    package func hasSameBytes(as other: String) -> Bool {
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
