import AshlarCore
import AshlarTrees
import Testing

@Suite struct BinaryPropertyListTests {
    /// A binary property list of these objects, with offsets and references of one byte.
    static func file(_ objects: [[UInt8]], root: UInt8 = 0) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        let table = UInt8(bytes.count)
        bytes += offsets
        bytes += [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, UInt8(objects.count)]
        return bytes + [0, 0, 0, 0, 0, 0, 0, root] + [0, 0, 0, 0, 0, 0, 0, table]
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    private static func text(_ string: String) -> [UInt8] { [0x50 | UInt8(string.utf8.count)] + Array(string.utf8) }

    @Test(
        "Every kind of value is parsed",
        arguments: [
            ([0x08], "false"), ([0x09], "true"), ([0x10, 0xFF], "255"), ([0x11, 0xFF, 0xFF], "65535"),
            ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], "4294967295"),
            ([0x13] + [UInt8](repeating: 0xFF, count: 8), "-1"),
            ([0x13, 0x80, 0, 0, 0, 0, 0, 0, 0], "-9223372036854775808"),
            ([0x14] + [UInt8](repeating: 0, count: 8) + [0x80, 0, 0, 0, 0, 0, 0, 0], "unsigned 9223372036854775808"),
            ([0x14] + [UInt8](repeating: 0, count: 8) + [0x7F, 0, 0, 0, 0, 0, 0, 1], "9151314442816847873"),
            ([0x14] + [UInt8](repeating: 0xFF, count: 16), "-1"),
            ([0x22, 0x3F, 0xC0, 0, 0], "real 1.5"), ([0x23, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0], "real 1.5"),
            ([0x33, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0], "date 1.5"), ([0x42, 1, 2], "data [1, 2]"),
            ([0x4F, 0x10, 2, 1, 2], "data [1, 2]"), ([0x4F, 0x10, 0], "data []"), ([0x52, 0x61, 0x62], "\"ab\""),
            ([0x50], "\"\""),
            ([0x62, 0x00, 0xFC, 0x4E, 0x2D], "\"ü中\""), ([0x62, 0xD8, 0x3D, 0xDE, 0x00], "\"😀\""),
            ([0x80, 7], "uid 7"), ([0x81, 1, 0], "uid 256"),
            ([0x87] + [UInt8](repeating: 1, count: 8), "uid 72340172838076673"),
            ([0xA0], "array 0"), ([0xD0], "dictionary 0"),
        ] as [([UInt8], String)])
    func values(_ object: [UInt8], _ value: String) throws {
        #expect(outline(try BinaryPropertyListParser.parse(Self.file([object]))) == [value])
    }

    @Test("Shared objects are read once; keys repeat with both places")
    func shared() throws {
        let bytes = Self.file([
            [0xD3, 1, 1, 2, 3, 3, 4], Self.text("k"), Self.text("l"), Self.text("shared"), [0xA2, 3, 3],
        ])
        let document = try BinaryPropertyListParser.parse(bytes)
        #expect(
            outline(document) == [
                "dictionary 3", "k: \"shared\"", "k: \"shared\"", "l: array 2", "\"shared\"", "\"shared\"",
            ])
        #expect(document.strings == ["shared"])
        #expect(document.duplicates.map { [$0.earlier, $0.later] } == [[1, 2]])
        #expect(document.nodes.map { Int($0.position) } == [8, 19, 19, 26, 19, 19])
        #expect(document.nodes[3].keyPosition == 17)
    }

    @Test("The root can be any object of the file")
    func root() throws {
        let bytes = Self.file([[0x09], [0xA1, 0]], root: 1)
        #expect(outline(try BinaryPropertyListParser.parse(bytes)) == ["array 1", "true"])
    }

    @Test("The mark that excludes a file from backups is a property list of the name of Apple's service")
    func backupMark() throws {
        let mark = try BinaryPropertyListParser.parse(DataProtection.backupMark)
        #expect(outline(mark) == ["\"com.apple.backupd\""])
    }

    @Test(
        "A malformed value is an error at its offset",
        arguments: [
            ([0x00], "expected a value, found a null or fill byte"),
            ([0x0F], "expected a value, found a null or fill byte"),
            (
                [0x14, 0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8),
                "expected a 64-bit integer, found a 128-bit integer"
            ),
            ([0x15] + [UInt8](repeating: 0, count: 32), "expected a value, found an integer"),
            ([0x13, 0], "expected an object inside the file, found an object that ends beyond it"),
            ([0x33, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0], "expected a date, found a number that is not finite"),
            ([0x52, 0x61, 0xE9], "expected ASCII text, found other bytes"),
            ([0x61, 0xD8, 0x00], "expected UTF-16 text, found an unpaired surrogate"),
            (
                [0x6F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
                "expected an object inside the file, found an object that ends beyond it"
            ),
            ([0x5F, 0x50], "expected a count, found another object"),
            ([0x88] + [UInt8](repeating: 0, count: 9), "expected a value, found a UID of a keyed archive"),
            ([0xC0], "expected a value, found a set"), ([0x70], "expected a value, found an unknown marker 0x70"),
            ([0xA1, 0], "expected a tree of objects, found a container that contains itself"),
            ([0xA1, 9], "expected an object number below 1, found 9"),
            ([0xD1, 0, 0], "expected a string as the key, found a dictionary"),
        ] as [([UInt8], String)])
    func malformed(_ object: [UInt8], _ message: String) {
        let bytes = Self.file([object])
        let error = #expect(throws: PropertyListError.self) { try BinaryPropertyListParser.parse(bytes) }
        #expect(error?.message == message)
        #expect(error?.line == nil && error?.code == .malformed)
        if message.contains("below") { #expect(error?.offset == 9) } else { #expect(error?.offset == 8) }
    }

    @Test(
        "A value that lacks its last byte is an error",
        arguments: [
            [0x10], [0x11, 0], [0x12, 0, 0, 0], [0x13] + zeros(7), [0x14] + zeros(15), [0x22, 0, 0, 0],
            [0x23] + zeros(7), [0x33] + zeros(7), [0x42, 1], [0x52, 0x61], [0x62, 0, 0x61, 0], [0x80],
            [0x87] + zeros(7),
            [0x4F, 0x11, 0], [0x4F, 0x10, 2, 1], [0xA2, 0], [0xD1, 0],
        ] as [[UInt8]])
    func missingByte(object: [UInt8]) {
        let error = #expect(throws: PropertyListError.self) { try BinaryPropertyListParser.parse(Self.file([object])) }
        #expect(error?.message == "expected an object inside the file, found an object that ends beyond it")
        #expect(error?.code == .malformed && error?.offset == 8)
    }

    @Test(
        "A trailer that doesn't fit the file is an error at its field",
        arguments: [
            (6, 0, 6), (6, 9, 6), (7, 0, 6), (7, 9, 6), (15, 0, 8), (15, 3, 8), (8, 1, 8), (23, 2, 8), (31, 8, 8),
            (31, 12, 8), (31, 255, 8),
        ])
    func trailer(byte: Int, value: UInt8, field: Int) throws {
        // Two objects, which the file has room for exactly.
        var bytes = Self.file([[0xA1, 1], [0x09]])
        #expect(outline(try BinaryPropertyListParser.parse(bytes)) == ["array 1", "true"])
        let trailer = bytes.count - 32
        bytes[trailer + byte] = value
        let error = #expect(throws: PropertyListError.self) { try BinaryPropertyListParser.parse(bytes) }
        #expect(error?.code == .malformed && error?.offset == trailer + field)
    }

    @Test("An error names the path of the value")
    func path() {
        let bytes = Self.file([[0xD1, 1, 2], Self.text("k"), [0xA2, 3, 4], [0x09], [0xC0]])
        let error = #expect(throws: PropertyListError.self) { try BinaryPropertyListParser.parse(bytes) }
        #expect(error?.path == [.key("k"), .index(1)])
    }

    @Test("A small file with arrays that contain the next one twice is an error after few values")
    func amplification() throws {
        // 40 arrays, and a boolean: 2^40 values.
        let bomb = Self.file((0..<40).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] } + [[0x09]])
        #expect(bomb.count < 260)
        let error = #expect(throws: PropertyListError.self) { try BinaryPropertyListParser.parse(bomb) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.expected?.contains("at most 100") == true, "\(error?.expected ?? "")")
    }

    @Test("Sizes beyond the limits are errors, also for objects shared many times")
    func limits() throws {
        let bomb = Self.file((0..<20).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] } + [[0x09]])
        let error = #expect(throws: PropertyListError.self) {
            try BinaryPropertyListParser.parse(bomb, limits: PropertyListLimits(values: 100_000))
        }
        #expect(error?.code == .limitExceeded)
        #expect(throws: PropertyListError.self) {
            try BinaryPropertyListParser.parse(bomb, limits: PropertyListLimits(depth: 10))
        }
        let keys = Self.file([[0xD2, 1, 1, 2, 2], Self.text("0123456789"), [0x09]])
        #expect(try BinaryPropertyListParser.parse(keys).keyBytes.count == 20)
        #expect(throws: PropertyListError.self) {
            try BinaryPropertyListParser.parse(keys, limits: PropertyListLimits(keyBytes: 19))
        }
    }

    @Test("Truncated and mutated files give a document or an error inside the file")
    func mutations() throws {
        let bytes = Self.file([
            [0xD3, 1, 2, 3, 4, 5, 6], Self.text("a"), Self.text("b"), [0x61, 0x4E, 0x2D], [0xA3, 7, 8, 9], [0x10, 5],
            [0x33, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0], [0x42, 1, 2], [0x22, 0x3F, 0xC0, 0, 0], [0x09],
        ])
        #expect(try BinaryPropertyListParser.parse(bytes).nodes.count == 7)
        for length in bytes.indices {
            #expect(throws: PropertyListError.self) { try BinaryPropertyListParser.parse(Array(bytes[..<length])) }
        }
        var random = Mutations(seed: 3)
        var parsed = 0
        for _ in 0..<50_000 {
            let mutated = random.mutate(bytes, inserting: [0, 1, 0x0F, 0x7F, 0x80, 0xAF, 0xD1, 0xFF])
            do throws(PropertyListError) {
                let document = try BinaryPropertyListParser.parse(mutated)
                parsed += 1
                #expect(Int(document.nodes[0].end) == document.nodes.count)
            } catch {
                #expect((0...mutated.count).contains(error.offset))
            }
        }
        #expect(parsed > 0)
    }

    @Test(
        "A file whose objects share one long content is an error before it grows", arguments: [0x4F, 0x5F] as [UInt8])
    func sharedContent(marker: UInt8) {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).reversed().map { UInt8(truncatingIfNeeded: UInt64(value) >> UInt64(8 * $0)) }
        }
        var bytes = Array("bplist00".utf8)
        let text = bytes.count
        bytes += [marker, 0x11, 0xC3, 0x50] + [UInt8](repeating: 0x61, count: 50_000)
        let root = bytes.count
        bytes += [0xAF, 0x11, 0x03, 0xE8]
        for object in 1...1_000 { bytes += number(object, 2) }
        let table = bytes.count
        bytes += number(root, 4)
        for _ in 0..<1_000 { bytes += number(text, 4) }
        bytes += [0, 0, 0, 0, 0, 0, 4, 2] + number(1_001, 8) + number(0, 8) + number(table, 8)
        let error = #expect(throws: PropertyListError.self) { try BinaryPropertyListParser.parse(bytes) }
        #expect(error?.code == .limitExceeded)
    }
}
