import AshlarCore

/// Parses a binary property list (`bplist00`) without recursion and without trusting offsets or counts of the file.
///
/// The format is that of Core Foundation's `CFBinaryPList.c`. Sets, nulls, 128-bit integers, strings that aren't ASCII
/// or UTF-16, dates that aren't finite, and containers that contain themselves are errors.
package struct BinaryPropertyListParser {
    private struct Frame {
        let object: Int
        /// The offset of the first reference.
        let references: Int
        let count: Int
        let isDictionary: Bool
        var next = 0
    }

    /// The upper half of an object's marker; the lower half is a size or a count.
    private enum Kind: UInt8 {
        /// A null, a Boolean, or a fill byte.
        case simple = 0x0
        case integer = 0x1
        case real = 0x2
        case date = 0x3
        case data = 0x4
        case ascii = 0x5
        case utf16 = 0x6
        case uid = 0x8
        case array = 0xA
        case set = 0xC
        case dictionary = 0xD

        init?(marker: UInt8) { self.init(rawValue: marker >> 4) }
    }

    /// The number of additional values and bytes of keys that shared objects can make.
    private static let sharedValues = 100_000
    private static let sharedKeyBytes = 1 << 20

    private static let falseMarker: UInt8 = 0x08
    private static let trueMarker: UInt8 = 0x09
    private static let floatMarker: UInt8 = 0x22
    private static let doubleMarker: UInt8 = 0x23
    private static let dateMarker: UInt8 = 0x33

    private let bytes: [UInt8]
    private var builder: PropertyListBuilder
    private var offsetSize = 0
    private var referenceSize = 0
    private var objectCount = 0
    private var tableStart = 0
    private var frames: [Frame] = []
    /// The containers being read, which must not contain themselves.
    private var isOpen: [Bool] = []
    /// The index plus 1 of the string or data value created from each object.
    private var made: [UInt32] = []
    /// The length of all strings and data so far; objects that overlap would otherwise make a small file grow.
    private var contentBytes: UInt64 = 0

    /// Whether the bytes start like a binary property list.
    package static func recognizes(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Array("bplist".utf8)) }

    /// Parses the bytes of a file.
    ///
    /// - Complexity: O(*n*) in the number of values.
    package static func parse(
        _ bytes: [UInt8], limits: PropertyListLimits = PropertyListLimits()
    ) throws(PropertyListError) -> PropertyListDocument {
        var parser = BinaryPropertyListParser(bytes, limits)
        return try parser.readDocument()
    }

    private init(_ bytes: [UInt8], _ limits: PropertyListLimits) {
        self.bytes = bytes
        // Without shared containers, a file has fewer values than bytes. A few containers that contain each other several
        // times would otherwise make a small file grow to millions of values.
        builder = PropertyListBuilder(
            limits: PropertyListLimits(
                depth: limits.depth, values: min(limits.values, bytes.count + Self.sharedValues),
                // 1 GiB at most, which an Int of 32 bits can hold.
                keyBytes: min(limits.keyBytes, 64 * min(bytes.count, 1 << 24) + Self.sharedKeyBytes)))
    }

    private mutating func readDocument() throws(PropertyListError) -> PropertyListDocument {
        let root = try readTrailer()
        try readObject(root, referenceAt: bytes.count - 16)
        while let frame = frames.last {
            if frame.next == frame.count {
                builder.close()
                isOpen[frame.object] = false
                frames.removeLast()
                continue
            }
            frames[frames.count - 1].next += 1
            var reference = frame.references + frame.next * referenceSize
            if frame.isDictionary {
                try readKey(object(at: reference), referenceAt: reference)
                reference += frame.count * referenceSize
            }
            try readObject(object(at: reference), referenceAt: reference)
        }
        return builder.document
    }

    /// Reads the last 32 bytes and returns the number of the root object.
    private mutating func readTrailer() throws(PropertyListError) -> UInt64 {
        guard Self.recognizes(bytes), bytes.count >= 8, bytes[6] == UInt8(ascii: "0"), bytes[7] == UInt8(ascii: "0")
        else { throw failure(at: 6, expected: "version 00 of the binary format", found: "another version") }
        guard bytes.count >= 8 + 1 + 1 + 32 else {
            throw failure(at: bytes.count, expected: "a 32-byte trailer", found: "the end of the file")
        }
        guard bytes.count <= UInt32.max else {
            throw failure(.limitExceeded, at: 0, expected: "a file of less than 4 GiB")
        }
        let trailer = bytes.count - 32
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        let count = integer(at: trailer + 8, 8)
        let root = integer(at: trailer + 16, 8)
        let table = integer(at: trailer + 24, 8)
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else {
            throw failure(at: trailer + 6, expected: "sizes from 1 to 8 in the trailer", found: "other sizes")
        }
        guard count >= 1, count <= UInt64(bytes.count), root < count, table >= 9, table < UInt64(trailer),
            count * UInt64(offsetSize) <= UInt64(trailer) - table
        else {
            throw failure(
                at: trailer + 8, expected: "an offset table inside the file", found: "counts or offsets beyond its end")
        }
        objectCount = Int(count)
        tableStart = Int(table)
        isOpen = [Bool](repeating: false, count: objectCount)
        made = [UInt32](repeating: 0, count: objectCount)
        builder.reserve(nodes: objectCount, keyBytes: bytes.count / 4, strings: objectCount / 2)
        return root
    }

    private func object(at reference: Int) -> UInt64 { integer(at: reference, referenceSize) }

    private func offset(of object: UInt64, from reference: Int) throws(PropertyListError) -> Int {
        guard object < UInt64(objectCount) else {
            throw failure(at: reference, expected: "an object number below \(objectCount)", found: "\(object)")
        }
        let entry = tableStart + Int(object) * offsetSize
        let offset = integer(at: entry, offsetSize)
        guard offset >= 8, offset < UInt64(tableStart) else {
            throw failure(at: entry, expected: "the offset of an object", found: "\(offset)")
        }
        return Int(offset)
    }

    private func integer(at start: Int, _ size: Int) -> UInt64 {
        var value: UInt64 = 0
        for at in start..<(start + size) { value = value << 8 | UInt64(bytes[at]) }
        return value
    }

    /// The count in or after an object's marker, and the offset of its contents, which are checked to be inside the
    /// file.
    private func extent(at start: Int, unit: Int) throws(PropertyListError) -> (count: Int, contents: Int) {
        var count = UInt64(bytes[start] & 0xF)
        var contents = start + 1
        if count == 0xF {
            guard contents < tableStart, Kind(marker: bytes[contents]) == .integer, bytes[contents] & 0xF <= 3 else {
                throw failure(at: start, expected: "a count", found: "another object")
            }
            let size = 1 << Int(bytes[contents] & 0xF)
            guard contents + 1 + size <= tableStart else { throw beyond(start) }
            count = integer(at: contents + 1, size)
            contents += 1 + size
        }
        guard count <= UInt64(tableStart / unit), contents + Int(count) * unit <= tableStart else {
            throw beyond(start)
        }
        return (Int(count), contents)
    }

    private mutating func readKey(_ object: UInt64, referenceAt reference: Int) throws(PropertyListError) {
        let start = try offset(of: object, from: reference)
        switch Kind(marker: bytes[start]) {
        case .ascii: builder.setKey(try ascii(at: start), position: start)
        case .utf16: builder.setKey(Array(try utf16(at: start).utf8)[...], position: start)
        default: throw failure(at: start, expected: "a string as the key", found: kindName(bytes[start]))
        }
        guard builder.document.keyBytes.count <= builder.limits.keyBytes else {
            throw failure(.limitExceeded, at: start, expected: "at most \(builder.limits.keyBytes) bytes of keys")
        }
    }

    private mutating func readObject(_ number: UInt64, referenceAt reference: Int) throws(PropertyListError) {
        let start = try offset(of: number, from: reference)
        let object = Int(number)
        if builder.document.nodes.count >= builder.limits.values {
            throw failure(.limitExceeded, at: start, expected: "at most \(builder.limits.values) values")
        }
        let marker = bytes[start]
        if made[object] > 0 {
            let kind: PropertyListDocument.Kind = Kind(marker: marker) == .data ? .data : .string
            return builder.append(kind, UInt64(made[object] - 1), position: start)
        }
        switch Kind(marker: marker) {
        case .simple where marker == Self.falseMarker || marker == Self.trueMarker:
            builder.append(.boolean, marker == Self.trueMarker ? 1 : 0, position: start)
        case .integer where marker & 0xF <= 4:
            builder.append(try integerValue(at: start, size: 1 << Int(marker & 0xF)), position: start)
        case .real where marker == Self.floatMarker:
            guard start + 5 <= tableStart else { throw beyond(start) }
            let value = Double(Float(bitPattern: UInt32(truncatingIfNeeded: integer(at: start + 1, 4))))
            builder.append(.real, value.bitPattern, position: start)
        case .real where marker == Self.doubleMarker, .date where marker == Self.dateMarker:
            guard start + 9 <= tableStart else { throw beyond(start) }
            let pattern = integer(at: start + 1, 8)
            if marker == Self.dateMarker, !Double(bitPattern: pattern).isFinite {
                throw failure(at: start, expected: "a date", found: "a number that is not finite")
            }
            builder.append(marker == Self.doubleMarker ? .real : .date, pattern, position: start)
        case .data:
            let (count, contents) = try extent(at: start, unit: 1)
            try addContent(count, at: start)
            builder.append(Array(bytes[contents..<(contents + count)]), position: start)
            made[object] = UInt32(builder.document.blobs.count)
        case .ascii: try append(String(decoding: ascii(at: start), as: UTF8.self), of: object, at: start)
        case .utf16: try append(utf16(at: start), of: object, at: start)
        case .uid where marker & 0xF <= 7:
            let size = Int(marker & 0xF) + 1
            guard start + 1 + size <= tableStart else { throw beyond(start) }
            builder.append(.uid, integer(at: start + 1, size), position: start)
        case .array, .dictionary:
            try openContainer(object, at: start, isDictionary: Kind(marker: marker) == .dictionary)
        default:
            throw failure(at: start, expected: "a value", found: kindName(marker))
        }
    }

    private mutating func addContent(_ count: Int, at start: Int) throws(PropertyListError) {
        contentBytes += UInt64(count)
        // UTF-16 takes up to one and a half times its length in UTF-8.
        if contentBytes > 2 * UInt64(bytes.count) + UInt64(Self.sharedKeyBytes) {
            throw failure(.limitExceeded, at: start, expected: "strings and data that fit into the file")
        }
    }

    private mutating func append(_ text: String, of object: Int, at start: Int) throws(PropertyListError) {
        try addContent(text.utf8.count, at: start)
        builder.append(text, position: start)
        made[object] = UInt32(builder.document.strings.count)
    }

    private mutating func openContainer(_ object: Int, at start: Int, isDictionary: Bool) throws(PropertyListError) {
        if isOpen[object] {
            throw failure(at: start, expected: "a tree of objects", found: "a container that contains itself")
        }
        if builder.depth >= builder.limits.depth {
            throw failure(
                .limitExceeded, at: start, expected: "at most \(builder.limits.depth) nested dictionaries and arrays")
        }
        let (count, contents) = try extent(at: start, unit: isDictionary ? 2 * referenceSize : referenceSize)
        isOpen[object] = true
        builder.open(isDictionary ? .dictionary : .array, position: start)
        frames.append(Frame(object: object, references: contents, count: count, isDictionary: isDictionary))
    }

    /// Reads an integer of 1, 2, 4, 8 or 16 bytes.
    ///
    /// One, two, and four bytes are unsigned; eight are signed. The upper half of sixteen bytes must extend the sign.
    private func integerValue(at start: Int, size: Int) throws(PropertyListError) -> NumberText.Integer {
        guard start + 1 + size <= tableStart else { throw beyond(start) }
        switch size {
        case 1, 2, 4: return .signed(Int64(integer(at: start + 1, size)))
        case 8: return .signed(Int64(bitPattern: integer(at: start + 1, 8)))
        default:
            let (high, low) = (integer(at: start + 1, 8), integer(at: start + 9, 8))
            if high == 0 { return low > UInt64(Int64.max) ? .unsigned(low) : .signed(Int64(low)) }
            if high == .max, low > UInt64(Int64.max) { return .signed(Int64(bitPattern: low)) }
            throw failure(at: start, expected: "a 64-bit integer", found: "a 128-bit integer")
        }
    }

    private func ascii(at start: Int) throws(PropertyListError) -> ArraySlice<UInt8> {
        let (count, contents) = try extent(at: start, unit: 1)
        let text = bytes[contents..<(contents + count)]
        if text.contains(where: { $0 >= 0x80 }) {
            throw failure(at: start, expected: "ASCII text", found: "other bytes")
        }
        return text
    }

    private func utf16(at start: Int) throws(PropertyListError) -> String {
        let (count, contents) = try extent(at: start, unit: 2)
        let units = (0..<count).map { UInt16(bytes[contents + 2 * $0]) << 8 | UInt16(bytes[contents + 2 * $0 + 1]) }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw failure(at: start, expected: "UTF-16 text", found: "an unpaired surrogate")
        }
        return text
    }

    // MARK: Failures

    private func kindName(_ marker: UInt8) -> String {
        switch Kind(marker: marker) {
        case .simple: marker == Self.falseMarker || marker == Self.trueMarker ? "a boolean" : "a null or fill byte"
        case .integer: "an integer"
        case .real: "a real"
        case .date: "a date"
        case .data: "data"
        case .ascii, .utf16: "a string"
        case .uid: "a UID of a keyed archive"
        case .array: "an array"
        case .set: "a set"
        case .dictionary: "a dictionary"
        case nil: "an unknown marker 0x\(String(marker, radix: 16))"
        }
    }

    private func beyond(_ start: Int) -> PropertyListError {
        failure(at: start, expected: "an object inside the file", found: "an object that ends beyond it")
    }

    private func failure(
        _ code: PropertyListError.Code = .malformed, at offset: Int, expected: String, found: String? = nil
    ) -> PropertyListError {
        PropertyListError(
            code: code, offset: min(offset, bytes.count), path: builder.path(), expected: expected, found: found)
    }
}
