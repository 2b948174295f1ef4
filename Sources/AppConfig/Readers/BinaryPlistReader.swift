/// Reads a binary property list (`bplist00`) into a tree, without recursion and without trust in any offset or count.
///
/// The format is that of Core Foundation's `CFBinaryPList.c`. Sets and UIDs, which only keyed archives hold, are
/// refused. An object that several others share is read once and counted at each use.
struct BinaryPlistReader {
    private struct Frame {
        /// The object's number, its first reference and how many children it has.
        let object: Int
        let references: Int
        let count: Int
        let isDictionary: Bool
        var next = 0
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private let context: ConfigReaderContext
    private var builder = ConfigTreeBuilder()
    private var diagnostics: [ConfigDiagnostic] = []
    private var offsetSize = 0
    private var referenceSize = 0
    private var objectCount = 0
    private var tableStart = 0
    private var frames: [Frame] = []
    /// Objects that are being read, to meet none of them again below itself.
    private var isOpen: [Bool] = []
    /// The text or blob that an object became, plus 1.
    private var made: [UInt32] = []

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ context: ConfigReaderContext) {
        self.bytes = bytes
        self.context = context
    }

    mutating func read() throws(ConfigError) -> ConfigReading {
        let top = try readTrailer()
        let root = try offset(of: top, from: bytes.count - 16)
        guard bytes[root] >> 4 == 0xD else {
            throw failure(at: root, expected: "a dictionary as the root", found: kindName(bytes[root]))
        }
        try readObject(top, referenceAt: bytes.count - 16)
        while let frame = frames.last {
            if frame.next == frame.count {
                try context.checkDuplicates(in: &builder, &diagnostics) {
                    ConfigSource(name: context.name, file: context.file, positions: .offsets)
                }
                builder.close()
                isOpen[frame.object] = false
                frames.removeLast()
                continue
            }
            frames[frames.count - 1].next += 1
            var reference = frame.references + frame.next * referenceSize
            if frame.isDictionary {
                try readKey(Int(integer(at: reference, referenceSize)), referenceAt: reference)
                reference += frame.count * referenceSize
            }
            try readObject(Int(integer(at: reference, referenceSize)), referenceAt: reference)
        }
        let source = ConfigSource(name: context.name, file: context.file, positions: .offsets)
        return ConfigReading(tree: builder.finish(sources: [source]), diagnostics: diagnostics)
    }

    /// Reads the 32 bytes at the end and returns the number of the root object.
    private mutating func readTrailer() throws(ConfigError) -> Int {
        guard bytes.count >= 8, bytes[6] == UInt8(ascii: "0"), bytes[7] == UInt8(ascii: "0") else {
            throw failure(at: 6, expected: "version 00 of the binary format", found: "another version")
        }
        guard bytes.count >= 8 + 1 + 1 + 32 else {
            throw failure(at: bytes.count, expected: "a trailer of 32 bytes", found: "the end of the file")
        }
        let trailer = bytes.count - 32
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        let count = integer(at: trailer + 8, 8)
        let top = integer(at: trailer + 16, 8)
        let table = integer(at: trailer + 24, 8)
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else {
            throw failure(at: trailer + 6, expected: "sizes from 1 to 8 in the trailer", found: "other sizes")
        }
        guard count >= 1, count <= UInt64(bytes.count), top < count, table >= 9, table < UInt64(trailer),
            count * UInt64(offsetSize) <= UInt64(trailer) - table
        else {
            throw failure(
                at: trailer + 8, expected: "an offset table inside of the file", found: "counts or offsets beyond it")
        }
        objectCount = Int(count)
        tableStart = Int(table)
        isOpen = [Bool](repeating: false, count: objectCount)
        made = [UInt32](repeating: 0, count: objectCount)
        builder.reserve(nodes: objectCount, keyBytes: bytes.count / 4, strings: objectCount)
        return Int(top)
    }

    private func offset(of object: Int, from reference: Int) throws(ConfigError) -> Int {
        guard object >= 0, object < objectCount else {
            throw failure(at: reference, expected: "an object below \(objectCount)", found: "a forged reference")
        }
        let offset = integer(at: tableStart + object * offsetSize, offsetSize)
        guard offset >= 8, offset < UInt64(tableStart) else {
            throw failure(
                at: tableStart + object * offsetSize, expected: "an object inside of the file",
                found: "a forged offset")
        }
        return Int(offset)
    }

    private func integer(at start: Int, _ size: Int) -> UInt64 {
        var value: UInt64 = 0
        for at in start..<(start + size) { value = value << 8 | UInt64(bytes[at]) }
        return value
    }

    /// The count in an object's marker or behind it, and where the contents start; they lie inside of the file.
    private func extent(at start: Int, unit: Int) throws(ConfigError) -> (count: Int, contents: Int) {
        var count = UInt64(bytes[start] & 0xF)
        var contents = start + 1
        if count == 0xF {
            guard contents < tableStart, bytes[contents] >> 4 == 1, bytes[contents] & 0xF <= 3 else {
                throw failure(at: start, expected: "a count", found: "another object")
            }
            let size = 1 << Int(bytes[contents] & 0xF)
            guard contents + 1 + size <= tableStart else { throw beyond(start) }
            count = integer(at: contents + 1, size)
            contents += 1 + size
        }
        guard count <= UInt64(tableStart), contents + Int(count) * unit <= tableStart else { throw beyond(start) }
        return (Int(count), contents)
    }

    private func beyond(_ start: Int) -> ConfigError {
        failure(at: start, expected: "an object inside of the file", found: "one that ends beyond it")
    }

    private mutating func readKey(_ object: Int, referenceAt reference: Int) throws(ConfigError) {
        let start = try offset(of: object, from: reference)
        let isShort: Bool
        switch bytes[start] >> 4 {
        case 0x5:
            let (count, contents) = try extent(at: start, unit: 1)
            let text = UnsafeBufferPointer(rebasing: bytes[contents..<(contents + count)])
            try checkASCII(text, at: start)
            isShort = builder.key(text)
        case 0x6:
            isShort = builder.key(try utf16(at: start))
        default:
            throw failure(at: start, expected: "a string as key", found: kindName(bytes[start]))
        }
        guard isShort else {
            throw failure(.limitExceeded, at: start, expected: "a key of at most 65535 bytes")
        }
        guard builder.keyByteCount <= max(context.limits.bytes, 1 << 16) else {
            throw failure(.limitExceeded, at: start, expected: "at most \(context.limits.bytes) bytes of keys")
        }
        builder.setKeyPosition(UInt32(start))
    }

    private mutating func readObject(_ object: Int, referenceAt reference: Int) throws(ConfigError) {
        let start = try offset(of: object, from: reference)
        let position = UInt32(start)
        if builder.count >= context.limits.values {
            throw failure(.limitExceeded, at: start, expected: "at most \(context.limits.values) values")
        }
        let marker = bytes[start]
        switch marker >> 4 {
        case 0x0 where marker == 0x08 || marker == 0x09:
            builder.boolean(marker == 0x09, position: position)
        case 0x1 where marker <= 0x14:
            try readInteger(at: start, size: 1 << Int(marker & 0xF))
        case 0x2 where marker == 0x22:
            guard start + 5 <= tableStart else { throw beyond(start) }
            let bits = UInt32(truncatingIfNeeded: integer(at: start + 1, 4))
            builder.real(Double(Float(bitPattern: bits)), position: position)
        case 0x2 where marker == 0x23, 0x3 where marker == 0x33:
            guard start + 9 <= tableStart else { throw beyond(start) }
            let value = Double(bitPattern: integer(at: start + 1, 8))
            if marker == 0x23 {
                builder.real(value, position: position)
            } else {
                guard value.isFinite else { throw failure(at: start, expected: "a date", found: "no finite number") }
                builder.date(value, position: position)
            }
        case 0x4:
            if made[object] == 0 {
                let (count, contents) = try extent(at: start, unit: 1)
                builder.data(Array(bytes[contents..<(contents + count)]), position: position)
                made[object] = UInt32(builder.blobs.count)
            } else {
                builder.sharedData(Int(made[object]) - 1, position: position)
            }
        case 0x5, 0x6:
            if made[object] != 0 {
                builder.sharedString(Int(made[object]) - 1, position: position)
            } else if marker >> 4 == 0x5 {
                let (count, contents) = try extent(at: start, unit: 1)
                let text = UnsafeBufferPointer(rebasing: bytes[contents..<(contents + count)])
                try checkASCII(text, at: start)
                builder.string(
                    String(decoding: text, as: UTF8.self), mayBeTemplate: text.contains(UInt8(ascii: "$")),
                    position: position)
                made[object] = UInt32(builder.stringCount)
            } else {
                builder.string(try utf16(at: start), position: position)
                made[object] = UInt32(builder.stringCount)
            }
        case 0xA, 0xD:
            try openContainer(object, at: start, isDictionary: marker >> 4 == 0xD)
        default:
            throw failure(at: start, expected: "a value", found: kindName(marker))
        }
    }

    private mutating func openContainer(_ object: Int, at start: Int, isDictionary: Bool) throws(ConfigError) {
        if isOpen[object] {
            throw failure(at: start, expected: "a tree of objects", found: "a container that holds itself")
        }
        if builder.depth >= context.limits.depth {
            throw failure(
                .limitExceeded, at: start,
                expected: "at most \(context.limits.depth) nested dictionaries and arrays")
        }
        let (count, contents) = try extent(at: start, unit: isDictionary ? 2 * referenceSize : referenceSize)
        isOpen[object] = true
        builder.open(isDictionary ? .dictionary : .array, position: UInt32(start))
        frames.append(Frame(object: object, references: contents, count: count, isDictionary: isDictionary))
    }

    /// One, two and four bytes are unsigned, eight are signed; of sixteen the upper half extends the sign.
    private mutating func readInteger(at start: Int, size: Int) throws(ConfigError) {
        guard start + 1 + size <= tableStart else { throw beyond(start) }
        let position = UInt32(start)
        switch size {
        case 1, 2, 4: builder.integer(Int64(integer(at: start + 1, size)), position: position)
        case 8: builder.integer(Int64(bitPattern: integer(at: start + 1, 8)), position: position)
        default:
            let (high, low) = (integer(at: start + 1, 8), integer(at: start + 9, 8))
            if high == 0 {
                builder.unsigned(low, position: position)
            } else if high == .max, low > UInt64(Int64.max) {
                builder.integer(Int64(bitPattern: low), position: position)
            } else {
                throw failure(at: start, expected: "a whole number in 64 bits", found: "one of 128 bits")
            }
        }
    }

    private func checkASCII(_ text: UnsafeBufferPointer<UInt8>, at start: Int) throws(ConfigError) {
        if text.contains(where: { $0 >= 0x80 }) {
            throw failure(at: start, expected: "ASCII text", found: "other bytes")
        }
    }

    private func utf16(at start: Int) throws(ConfigError) -> String {
        let (count, contents) = try extent(at: start, unit: 2)
        let units = (0..<count).map { UInt16(bytes[contents + 2 * $0]) << 8 | UInt16(bytes[contents + 2 * $0 + 1]) }
        guard let text = String(validating: units, as: UTF16.self) else {
            throw failure(at: start, expected: "UTF-16 text", found: "half of a surrogate pair")
        }
        return text
    }

    private func kindName(_ marker: UInt8) -> String {
        switch marker >> 4 {
        case 0x0: marker == 0x08 || marker == 0x09 ? "a boolean" : "a null or fill byte"
        case 0x1: "an integer"
        case 0x2: "a real"
        case 0x3: "a date"
        case 0x4: "data"
        case 0x5, 0x6: "a string"
        case 0x8: "a UID of a keyed archive"
        case 0xA: "an array"
        case 0xC: "a set"
        case 0xD: "a dictionary"
        default: "an unknown marker 0x\(String(marker, radix: 16))"
        }
    }

    private func failure(
        _ code: ConfigError.Code = .malformedSource, at offset: Int, expected: String? = nil, found: String? = nil
    ) -> ConfigError {
        let origin = ConfigOrigin(name: context.name, file: context.file, offset: min(offset, bytes.count))
        let path = builder.pathOfNext()
        return ConfigError(
            code, key: path.components.isEmpty ? nil : path, origin: origin, expected: expected, found: found)
    }
}
