internal import AshlarCore

/// The fields of a response as received, contiguous in memory; strings are created on demand.
final class ReceivedFields: Sendable {
    /// For each field the lengths of name and value, then both.
    private let bytes: [UInt8]
    private let count: Int
    private let split = Mutex<[HTTPField]?>(nil)

    /// The announced length, if there is exactly one field and its value is a number.
    let plainLength: Int?

    private init(_ bytes: [UInt8], _ count: Int) {
        (self.bytes, self.count) = (bytes, count)
        plainLength = bytes.withUnsafeBytes(Self.plainLength)
    }

    /// All fields, split on the first call.
    var all: [HTTPField] {
        split.withLock { split in
            if let split { return split }
            var fields: [HTTPField] = []
            fields.reserveCapacity(count)
            find { name, value in
                fields.append(HTTPField(Self.text(name), Self.text(value)))
                return false
            }
            split = fields
            return fields
        }
    }

    private static func plainLength(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var (length, isPlain) = (0, false)
        find(in: bytes) { name, value in
            guard name.count == 14, name.equalsIgnoringASCIICase(contentLength) else { return false }
            isPlain = !isPlain && (1...18).contains(value.count) && value.allSatisfy(\.isDigit)
            if isPlain { length = value.reduce(0) { $0 * 10 + Int($1 - 0x30) } }
            return !isPlain
        }
        return isPlain ? length : nil
    }

    /// Whether there is a field with the name.
    func contains(_ name: String) -> Bool { first(name) { _ in true } ?? false }

    /// Returns the first value of a name, or nil.
    func first(_ name: String) -> String? { first(name, Self.text) }

    /// Returns all values of a name in order.
    func values(_ name: String) -> [String] {
        var name = name
        return name.withUTF8 { wanted in
            var values: [String] = []
            find { name, value in
                if name.equalsIgnoringASCIICase(wanted) { values.append(Self.text(value)) }
                return false
            }
            return values
        }
    }

    private func first<Result>(_ name: String, _ read: (UnsafeRawBufferPointer) -> Result) -> Result? {
        var name = name
        return name.withUTF8 { wanted in
            var result: Result?
            find { name, value in
                guard name.equalsIgnoringASCIICase(wanted) else { return false }
                result = read(value)
                return true
            }
            return result
        }
    }

    /// Calls a closure with each field until it returns true.
    @inline(__always)
    private func find(_ isRight: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool) {
        bytes.withUnsafeBytes { Self.find(in: $0, isRight) }
    }

    @inline(__always)
    private static func find(
        in bytes: UnsafeRawBufferPointer,
        _ isRight: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) {
        var start = 0
        while start < bytes.count {
            let nameEnd = start + lengths + Int(bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
            let end = nameEnd + Int(bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self))
            if isRight(bytes.part((start + lengths)..<nameEnd), bytes.part(nameEnd..<end)) { return }
            start = end
        }
    }

    /// Values are Latin-1.
    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Collects fields in memory that is reused for each head.
    final class Builder {
        private var bytes: [UInt8] = []
        private var last = 0
        private(set) var count = 0

        init() { bytes.reserveCapacity(1024) }

        /// Appends a field.
        func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
            last = bytes.count
            count += 1
            append(length: name.count)
            append(length: value.count)
            bytes.append(contentsOf: name)
            bytes.append(contentsOf: value)
        }

        /// Appends to the value of the last field, after a space if the value isn't empty.
        func extendLast(_ more: UnsafeRawBufferPointer) {
            guard !more.isEmpty else { return }
            let valueLength = last + lengths / 2
            var length = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: valueLength, as: UInt32.self) }
            if length > 0 {
                bytes.append(0x20)
                length += 1
            }
            bytes.append(contentsOf: more)
            length += UInt32(more.count)
            bytes.withUnsafeMutableBytes { $0.storeBytes(of: length, toByteOffset: valueLength, as: UInt32.self) }
        }

        private func append(length: Int) {
            withUnsafeBytes(of: UInt32(length)) { bytes.append(contentsOf: $0) }
        }

        /// Removes all fields.
        func removeAll() {
            bytes.removeAll(keepingCapacity: true)
            (last, count) = (0, 0)
        }

        /// Returns a copy of the collected fields.
        func build() -> ReceivedFields { ReceivedFields(Array(bytes[...]), count) }
    }
}

/// The number of bytes for the lengths of a field.
private let lengths = 8

private let contentLength = Array("content-length".utf8)

extension UnsafeRawBufferPointer {
    /// The bytes of a range.
    func part(_ range: some RangeExpression<Int>) -> Self { Self(rebasing: self[range]) }

    /// Whether both contain the same ASCII text, ignoring case.
    func equalsIgnoringASCIICase(_ other: some RandomAccessCollection<UInt8>) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0 == $1 || $0.asciiLowercased == $1.asciiLowercased }
    }
}
