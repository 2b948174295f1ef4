internal import AshlarBase

/// The UTF-8 bytes of a text, for the duration of a closure.
///
/// The standard library's safe view of them, `String.utf8.span`, is newer than the deployment targets. Iterating over
/// `String.utf8` takes several times as long as the rest of a line.
typealias TextBytes = UnsafeBufferPointer<UInt8>

extension String {
    /// Runs `body` with the bytes of the text.
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
///
/// The methods aren't inlined, because the code that makes room in an array is many times as long as a call.
extension [UInt8] {
    @inline(never)
    mutating func add(_ byte: UInt8) { append(byte) }

    @inline(never)
    mutating func append(text: String) { append(contentsOf: text.utf8) }

    mutating func append(decimal value: some BinaryInteger) { append(text: String(value)) }

    /// Appends the last digits of a number.
    @inline(never)
    mutating func append(_ value: Int, digits: Int) {
        if digits > 2 { append(value / 100, digits: digits - 2) }
        let pair = UInt8(truncatingIfNeeded: value % 100)
        if digits > 1 { append(UInt8(ascii: "0") + pair / 10) }
        append(UInt8(ascii: "0") + pair % 10)
    }
}

extension ArraySlice<UInt8> {
    /// Removes a text from the start; returns `false` if the bytes don't start with it.
    mutating func skip(_ text: String) -> Bool {
        guard starts(with: text.utf8) else { return false }
        removeFirst(text.utf8.count)
        return true
    }

    /// Removes the digits at the start and returns their number; nil if there are none or too many.
    mutating func number(radix: Int64 = 10) -> Int64? {
        var number: Int64?
        while let digit = first?.hexValue, digit < radix {
            let (product, overflow) = (number ?? 0).multipliedReportingOverflow(by: radix)
            let (sum, carry) = product.addingReportingOverflow(Int64(digit))
            if overflow || carry { return nil }
            number = sum
            removeFirst()
        }
        return number
    }
}
