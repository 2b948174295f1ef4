/// The UTF-8 bytes of a text, for the duration of a closure.
///
/// The standard library's safe view of them, `String.utf8.span`, is newer than the deployment targets. Iterating over
/// `String.utf8` takes several times as long as the rest of a line.
typealias TextBytes = UnsafeBufferPointer<UInt8>

extension String {
    /// Runs `body` with the bytes of the text.
    @inline(__always)
    func withBytes<Result>(_ body: (TextBytes) -> Result) -> Result {
        var text = self
        return text.withUTF8(body)
    }
}

extension UInt8 {
    package static var newline: UInt8 { UInt8(ascii: "\n") }
    package static var space: UInt8 { UInt8(ascii: " ") }
    package static var quote: UInt8 { UInt8(ascii: "\"") }
    static var backslash: UInt8 { UInt8(ascii: "\\") }
    static var equals: UInt8 { UInt8(ascii: "=") }
}

/// A line is built as an array of bytes.
extension [UInt8] {
    mutating func append(text: String) { append(contentsOf: text.utf8) }

    mutating func append(decimal value: some BinaryInteger) { append(contentsOf: String(value).utf8) }

    /// Appends a number below 10^`digits` with leading zeros.
    @inline(__always)
    mutating func append(_ value: Int, digits: Int) {
        var unit = 1
        for _ in 1..<digits { unit *= 10 }
        while unit > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / unit % 10))
            unit /= 10
        }
    }
}
