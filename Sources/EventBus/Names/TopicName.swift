/// The rules for topic names: 1 to 255 bytes of UTF-8, segments separated by `:`, no empty segment, no `*`.
enum TopicName {
    static let longest = 255
    static let separator = UInt8(ascii: ":")
    static let star = UInt8(ascii: "*")

    /// Returns the error of a malformed name, or nil.
    static func mistake(in name: UnsafeBufferPointer<UInt8>) -> EventBusError? {
        func error(_ offset: Int, _ expected: String, _ found: String) -> EventBusError {
            EventBusError(
                .malformedName, subject: String(decoding: name, as: UTF8.self), offset: offset, expected: expected,
                found: found)
        }
        guard name.count > 0 else { return error(0, "1 to \(longest) bytes", "an empty name") }
        guard name.count <= longest else { return error(longest, "1 to \(longest) bytes", "\(name.count) bytes") }
        var start = 0
        for (offset, byte) in name.enumerated() {
            if byte == star { return error(offset, "a name without '*'", "'*', which only patterns may hold") }
            guard byte == separator else { continue }
            if offset == start { return error(offset, "a segment", "':'") }
            start = offset + 1
        }
        return start == name.count ? error(start, "a segment after ':'", "the end of the name") : nil
    }

    /// Returns the error of a malformed name, or nil.
    static func mistake(in name: String) -> EventBusError? {
        var name = name
        return name.withUTF8 { mistake(in: $0) }
    }

    private static let seed = UInt64.random(in: 1...UInt64.max)

    /// Hashes a name eight bytes at a time with a seed of this process; the result is never 0.
    static func hash(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash = seed ^ UInt64(truncatingIfNeeded: name.count)
        let bytes = UnsafeRawBufferPointer(name)
        var offset = 0
        while offset + 8 <= bytes.count {
            mix(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self), into: &hash)
            offset += 8
        }
        if offset < bytes.count {
            var tail: UInt64 = 0
            while offset < bytes.count {
                tail = tail << 8 | UInt64(bytes[offset])
                offset += 1
            }
            mix(tail, into: &hash)
        }
        hash ^= hash >> 32
        return hash | 1
    }

    private static func mix(_ word: UInt64, into hash: inout UInt64) {
        let (high, low) = (hash ^ word).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
        hash = high ^ low
    }
}
