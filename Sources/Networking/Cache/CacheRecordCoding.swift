internal import AshlarCore

/// A record as the bytes of a file.
///
/// Numbers have the byte order of the machine, because a cache isn't moved to another one.
enum CacheRecordCoding {
    private static let magic = Array("ASHLAR cache 2\n".utf8)
    private static let seed: UInt64 = 0x5EED

    static func encode(_ key: String, _ record: CacheRecord) -> [UInt8] {
        var writer = Writer(bytes: magic)
        writer.text(key)
        writer.number(Int64(record.variants.count))
        for entry in record.variants {
            writer.number(Int64(entry.status))
            writer.number(entry.requested)
            writer.number(entry.received)
            writer.number(Int64(entry.varying.count))
            for field in entry.varying {
                writer.text(field.name)
                writer.number(field.value == nil ? 0 : 1)
                writer.text(field.value ?? "")
            }
            writer.number(Int64(entry.headers.count))
            for field in entry.headers {
                writer.text(field.name)
                writer.text(field.value)
                writer.number(field.isSensitive ? 1 : 0)
            }
            writer.block(entry.body)
        }
        writer.number(Int64(bitPattern: checksum(writer.bytes[...])))
        return writer.bytes
    }

    /// Returns the key and the record, or nil for damaged bytes.
    static func decode(_ bytes: [UInt8]) -> (key: String, record: CacheRecord)? {
        guard bytes.count >= magic.count + 8, bytes.starts(with: magic) else { return nil }
        var end = Reader(bytes: bytes[(bytes.count - 8)...])
        let content = bytes[..<(bytes.count - 8)]
        guard end.number() == Int64(bitPattern: checksum(content)) else { return nil }
        var reader = Reader(bytes: content.dropFirst(magic.count))
        guard let key = reader.text(), let count = reader.count() else { return nil }
        var record = CacheRecord(variants: [])
        for _ in 0..<count {
            guard let entry = entry(&reader) else { return nil }
            record.variants.append(entry)
        }
        return reader.bytes.isEmpty ? (key, record) : nil
    }

    private static func entry(_ reader: inout Reader) -> CacheEntry? {
        guard let status = reader.number().flatMap({ Int(exactly: $0) }), let requested = reader.number(),
            let received = reader.number(), let varyingCount = reader.count()
        else { return nil }
        var varying: [CacheEntry.Varying] = []
        for _ in 0..<varyingCount {
            guard let name = reader.text(), let hasValue = reader.number(), let value = reader.text() else {
                return nil
            }
            varying.append(.init(name: name, value: hasValue == 1 ? value : nil))
        }
        guard let fieldCount = reader.count() else { return nil }
        var headers = HTTPHeaders()
        for _ in 0..<fieldCount {
            guard let name = reader.text(), let value = reader.text(), let mark = reader.number() else { return nil }
            headers.append(name, value, isSensitive: mark == 1)
        }
        guard let body = reader.block() else { return nil }
        return CacheEntry(
            status: status, headers: headers, body: Array(body), varying: varying, requested: requested,
            received: received)
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.withUnsafeBufferPointer { ByteHash.hash($0, seed: seed) }
    }

    private struct Writer {
        var bytes: [UInt8]

        mutating func number(_ number: Int64) {
            for shift in stride(from: 0, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> Int64(shift)))
            }
        }

        mutating func block(_ block: some Collection<UInt8>) {
            number(Int64(block.count))
            bytes += block
        }

        mutating func text(_ text: String) { block(text.utf8) }
    }

    private struct Reader {
        var bytes: ArraySlice<UInt8>

        mutating func number() -> Int64? {
            guard bytes.count >= 8 else { return nil }
            let value = bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            bytes = bytes.dropFirst(8)
            return Int64(bitPattern: value)
        }

        /// Reads a number of parts, each of which has at least one byte.
        mutating func count() -> Int? {
            guard let number = number(), let count = Int(exactly: number), (0...bytes.count).contains(count) else {
                return nil
            }
            return count
        }

        mutating func block() -> ArraySlice<UInt8>? {
            guard let count = count() else { return nil }
            defer { bytes = bytes.dropFirst(count) }
            return bytes.prefix(count)
        }

        mutating func text() -> String? { block().flatMap { String(validating: $0, as: UTF8.self) } }
    }
}
