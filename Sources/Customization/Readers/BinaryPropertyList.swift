/// Reads a binary property list (`bplist00`).
///
/// The format is that of CoreFoundation's `CFBinaryPList.c`: objects, a table of their offsets, and a trailer of 32
/// bytes. Every offset is checked; a list or dictionary that contains itself is refused.
struct BinaryPropertyList {
    /// Why the bytes are not a binary property list.
    struct Failure: Error {
        var message: String
    }

    static let maximumDepth = 512
    /// An object may be shared, so a small file could describe a huge value; this bounds it.
    static let maximumNodes = 4_000_000

    private let bytes: [UInt8]
    private var offsetSize = 0
    private var referenceSize = 0
    private var objectCount = 0
    private var offsetTable = 0
    private var nodes = 0

    static func read(_ bytes: [UInt8]) throws(Failure) -> SourceNode {
        var reader = BinaryPropertyList(bytes)
        return try reader.root()
    }

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    private mutating func root() throws(Failure) -> SourceNode {
        guard bytes.count >= 40 else { throw Failure(message: "the binary property list is cut short") }
        let trailer = bytes.count - 32
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard let count = number(at: trailer + 8, size: 8), let top = number(at: trailer + 16, size: 8),
            let table = number(at: trailer + 24, size: 8), (1...8).contains(offsetSize),
            (1...8).contains(referenceSize),
            count > 0, top < count, table >= 8, table <= trailer, count <= (trailer - table) / offsetSize
        else { throw Failure(message: "the trailer of the binary property list is damaged") }
        (objectCount, offsetTable) = (count, table)
        return try object(top, depth: 0)
    }

    /// An unsigned big-endian number, or nil if it is out of bounds or does not fit.
    private func number(at offset: Int, size: Int) -> Int? {
        guard offset >= 0, size >= 0, size <= bytes.count, offset <= bytes.count - size else { return nil }
        var value: UInt64 = 0
        for i in 0..<size {
            if value >> 56 != 0 { return nil }
            value = value << 8 | UInt64(bytes[offset + i])
        }
        return Int(exactly: value)
    }

    private func damaged(_ what: String) -> Failure {
        Failure(message: "the binary property list has a damaged \(what)")
    }

    private mutating func object(_ reference: Int, depth: Int) throws(Failure) -> SourceNode {
        nodes += 1
        guard depth < Self.maximumDepth else {
            throw Failure(message: "values are nested more than \(Self.maximumDepth) deep")
        }
        guard nodes <= Self.maximumNodes else {
            throw Failure(message: "the binary property list describes too many values")
        }
        guard reference < objectCount, let offset = number(at: offsetTable + reference * offsetSize, size: offsetSize),
            offset >= 8, offset < offsetTable
        else { throw damaged("reference") }
        let marker = bytes[offset]
        let low = Int(marker & 0xF)
        func node(_ kind: SourceNode.Kind) -> SourceNode { SourceNode(offset: 0, kind: kind) }
        switch marker >> 4 {
        case 0x0:
            switch marker {
            case 0x00: return node(.null)
            case 0x08: return node(.bool(false))
            case 0x09: return node(.bool(true))
            default: throw damaged("marker 0x\(hex(marker))")
            }
        case 0x1: return node(.int(try integer(at: offset + 1, size: 1 << low)))
        case 0x2: return node(.double(try real(at: offset + 1, size: 1 << low)))
        case 0x3: return node(.date(ISO8601.text(secondsSince2001: try real(at: offset + 1, size: 8))))
        case 0x4:
            let (start, count) = try extent(low, at: offset)
            return node(.data(Array(try slice(start, count))))
        case 0x5:
            let (start, count) = try extent(low, at: offset)
            return node(.string(String(decoding: try slice(start, count), as: UTF8.self)))
        case 0x6:
            let (start, count) = try extent(low, at: offset)
            guard count <= bytes.count / 2 else { throw damaged("text") }
            let units = try slice(start, count * 2)
            return node(
                .string(
                    String(
                        decoding: (0..<count).map {
                            UInt16(units[units.startIndex + 2 * $0]) << 8 | UInt16(units[units.startIndex + 2 * $0 + 1])
                        }, as: UTF16.self)))
        case 0x8: return node(.int(Int64(number(at: offset + 1, size: low + 1) ?? 0)))
        case 0xA, 0xC:
            let (start, count) = try extent(low, at: offset)
            var items: [SourceNode] = []
            for i in 0..<count { items.append(try object(try self.reference(start, i), depth: depth + 1)) }
            return node(.list(items))
        case 0xD:
            let (start, count) = try extent(low, at: offset)
            var members: [SourceNode.Member] = []
            for i in 0..<count {
                guard let key = try object(try self.reference(start, i), depth: depth + 1).text else {
                    throw Failure(message: "a key of the binary property list is no text")
                }
                let value = try object(try self.reference(start, count + i), depth: depth + 1)
                members.append(SourceNode.Member(key: key, offset: 0, value: value))
            }
            return node(.dict(members))
        default: throw damaged("marker 0x\(hex(marker))")
        }
    }

    private func slice(_ start: Int, _ count: Int) throws(Failure) -> ArraySlice<UInt8> {
        guard count >= 0, start <= offsetTable, count <= offsetTable - start else { throw damaged("length") }
        return bytes[start..<(start + count)]
    }

    private func reference(_ start: Int, _ index: Int) throws(Failure) -> Int {
        let (product, overflow) = index.multipliedReportingOverflow(by: referenceSize)
        guard !overflow, product < bytes.count, let reference = number(at: start + product, size: referenceSize) else {
            throw damaged("reference")
        }
        return reference
    }

    /// The start and count of an object's parts; counts of 15 and more follow as an integer.
    private func extent(_ low: Int, at offset: Int) throws(Failure) -> (start: Int, count: Int) {
        if low < 15 { return (offset + 1, low) }
        guard offset + 1 < offsetTable, bytes[offset + 1] >> 4 == 1 else { throw damaged("length") }
        let size = 1 << Int(bytes[offset + 1] & 0xF)
        guard size <= 8, let count = number(at: offset + 2, size: size), count < bytes.count else {
            throw damaged("length")
        }
        return (offset + 2 + size, count)
    }

    private func integer(at offset: Int, size: Int) throws(Failure) -> Int64 {
        guard size <= 16, offset + size <= offsetTable else { throw damaged("number") }
        // Fewer than eight bytes are unsigned; sixteen hold a 64-bit number in their lower half.
        var value: UInt64 = 0
        for byte in bytes[offset..<(offset + size)].suffix(8) { value = value << 8 | UInt64(byte) }
        return Int64(bitPattern: value)
    }

    private func real(at offset: Int, size: Int) throws(Failure) -> Double {
        guard size == 4 || size == 8, offset + size <= offsetTable else { throw damaged("number") }
        var pattern: UInt64 = 0
        for byte in bytes[offset..<(offset + size)] { pattern = pattern << 8 | UInt64(byte) }
        return size == 4 ? Double(Float(bitPattern: UInt32(pattern))) : Double(bitPattern: pattern)
    }
}

/// Writes dates of binary property lists as XML ones write them.
enum ISO8601 {
    static func text(secondsSince2001 seconds: Double) -> String {
        guard seconds.isFinite, abs(seconds) < 1e14 else { return "" }
        let total = Int(seconds.rounded(.down)) + 978_307_200
        let days = total >= 0 ? total / 86400 : (total - 86399) / 86400
        let rest = total - days * 86400
        // Howard Hinnant's civil_from_days.
        let z = days + 719_468
        let era = (z >= 0 ? z : z - 146_096) / 146_097
        let doe = z - era * 146_097
        let yoe = (doe - doe / 1460 + doe / 36524 - doe / 146_096) / 365
        let doy = doe - (365 * yoe + yoe / 4 - yoe / 100)
        let mp = (5 * doy + 2) / 153
        let (day, month) = (doy - (153 * mp + 2) / 5 + 1, mp < 10 ? mp + 3 : mp - 9)
        let year = yoe + era * 400 + (month <= 2 ? 1 : 0)
        func two(_ n: Int) -> String { n < 10 ? "0\(n)" : "\(n)" }
        return "\(year)-\(two(month))-\(two(day))T\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))Z"
    }
}
