internal import AshlarCore

/// The fields of a response as received, contiguous in memory; they become strings on demand.
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
            guard name.count == 14, name.equalsIgnoringASCIICase("content-length") else { return false }
            isPlain = !isPlain && (1...18).contains(value.count) && value.allSatisfy(\.isASCIIDigit)
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
            let name = UnsafeRawBufferPointer(rebasing: bytes[(start + lengths)..<nameEnd])
            if isRight(name, UnsafeRawBufferPointer(rebasing: bytes[nameEnd..<end])) { return }
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
        private var space = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 8)
        private var end = 0
        private var last = 0
        private(set) var count = 0

        deinit { space.deallocate() }

        /// Appends a field.
        func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
            last = end
            count += 1
            makeRoom(for: lengths + name.count + value.count)
            space.storeBytes(of: UInt32(name.count), toByteOffset: end, as: UInt32.self)
            space.storeBytes(of: UInt32(value.count), toByteOffset: end + 4, as: UInt32.self)
            end += lengths
            put(name)
            put(value)
        }

        /// Appends to the value of the last field, after a space if the value isn't empty.
        func extendLast(_ more: UnsafeRawBufferPointer) {
            guard !more.isEmpty else { return }
            makeRoom(for: more.count + 1)
            var length = space.loadUnaligned(fromByteOffset: last + 4, as: UInt32.self)
            if length > 0 {
                space[end] = 0x20
                end += 1
                length += 1
            }
            put(more)
            space.storeBytes(of: length + UInt32(more.count), toByteOffset: last + 4, as: UInt32.self)
        }

        /// Removes all fields.
        func removeAll() { (end, last, count) = (0, 0, 0) }

        /// Returns the collected fields.
        func build() -> ReceivedFields {
            ReceivedFields([UInt8](UnsafeRawBufferPointer(rebasing: space[..<end])), count)
        }

        private func put(_ bytes: UnsafeRawBufferPointer) {
            guard let source = bytes.baseAddress, let base = space.baseAddress else { return }
            (base + end).copyMemory(from: source, byteCount: bytes.count)
            end += bytes.count
        }

        private func makeRoom(for count: Int) {
            guard end + count > space.count else { return }
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: (end + count) * 2, alignment: 8)
            larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: space[..<end]))
            space.deallocate()
            space = larger
        }
    }
}

/// The size of the lengths of a field.
private let lengths = 8

extension UnsafeRawBufferPointer {
    /// Whether both contain the same ASCII text, without case.
    func equalsIgnoringASCIICase(_ other: StaticString) -> Bool {
        equalsIgnoringASCIICase(UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount))
    }

    /// Whether both contain the same ASCII text, without case.
    func equalsIgnoringASCIICase(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count where self[index] != other[index] {
            guard self[index].asciiLowercased == other[index].asciiLowercased else { return false }
        }
        return true
    }
}
