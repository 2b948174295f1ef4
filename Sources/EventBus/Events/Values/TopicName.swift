internal import AshlarCore

/// The package's mutex; the alias takes precedence over the type in `Synchronization` if both are imported.
typealias Mutex = AshlarCore.Mutex

/// The rules for topic names: 1 to 255 bytes of UTF-8, segments separated by `:`, no empty segment, no `*`.
///
/// Names are compared as strings: the composed and the decomposed form of a letter are the same.
enum TopicName {
    static let longest = 255
    static let separator = UInt8(ascii: ":")
    static let star = UInt8(ascii: "*")

    /// Returns the segments of a name.
    ///
    /// They are split as bytes, because a `:` and a combining accent after it form one character.
    static func segments(of name: String) -> [String] {
        name.utf8.split(separator: separator, omittingEmptySubsequences: false).map { String(Substring($0)) }
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
