import AshlarAppConfig
import Foundation
import Testing

@Suite struct BinaryPlistTests {
    /// A binary property list of these objects, the first of them the root.
    static func file(_ objects: [[UInt8]], trailer adjust: (inout [UInt8]) -> Void = { _ in }) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for offset in offsets { bytes += [UInt8(offset >> 8), UInt8(offset & 0xFF)] }
        var trailer = [UInt8](repeating: 0, count: 32)
        trailer[6] = 2
        trailer[7] = 1
        trailer[15] = UInt8(objects.count)
        trailer[30] = UInt8(table >> 8)
        trailer[31] = UInt8(table & 0xFF)
        adjust(&trailer)
        return bytes + trailer
    }

    /// A file whose table has the first byte as the offset of the third object.
    static let offsetInHeader: [UInt8] = {
        var bytes = file([[0xD1, 1, 2], text("a"), [0x10, 5]])
        let table = 8 + 3 + 2 + 2
        bytes[table + 5] = 0
        return bytes
    }()

    static func text(_ text: String) -> [UInt8] { [0x50 | UInt8(text.utf8.count)] + Array(text.utf8) }

    @Test(
        "Forged and foreign files are rejected with the offset",
        arguments: [
            (
                file([[0xD1, 1, 0], text("a")]), "a: expected a tree of objects, found a container that contains itself"
            ),
            (file([[0xD1, 1, 9], text("a")]), "a: expected an object number below 2, found 9"),
            (file([[0xD1, 1, 1], text("a")]) { $0[15] = 200 }, "expected an offset table inside the file"),
            (file([[0xD1, 1, 1], text("a")]) { $0[6] = 0 }, "expected sizes from 1 to 8 in the trailer"),
            (
                file([[0xDF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]]),
                "found an object that ends beyond it"
            ),
            (offsetInHeader, "a: expected the offset of an object, found 0"),
            (
                file([
                    [0xD1, 1, 2], text("a"), [0x14] + [UInt8](repeating: 0xFF, count: 8) + [0, 0, 0, 0, 0, 0, 0, 1],
                ]),
                "a: expected a 64-bit integer, found a 128-bit integer"
            ),
            (file([[0xA0]]), "expected a dictionary as the root, found an array"),
            (file([[0xD1, 1, 2], [0x10, 5], text("a")]), "expected a string as the key, found an integer"),
            (file([[0xD1, 1, 2], text("a"), [0x80, 1]]), "a: expected a value, found a UID of a keyed archive"),
            (file([[0xD1, 1, 2], text("a"), [0x62, 0xD8, 0, 0, 65]]), "a: expected UTF-16 text"),
            (file([[0xD1, 1, 2], text("a"), [0x51, 0xFF]]), "a: expected ASCII text"),
            (file([[0xD1, 1, 2], text("a"), [0x5F, 0x10, 0xFF]]), "found an object that ends beyond it"),
            (file([[0xD2, 1, 2, 1, 2], text("a"), text("a")]), "a: duplicate key"),
            (Array("bplist01".utf8) + [UInt8](repeating: 0, count: 40), "expected version 00 of the binary format"),
            (Array("bplist00".utf8), "expected a 32-byte trailer, found the end of the file"),
            (Array("bplist".utf8), "expected version 00 of the binary format"),
        ])
    func forged(bytes: [UInt8], message: String) throws {
        guard case .failure(let error) = read(bytes) else {
            Issue.record("read")
            return
        }
        #expect(error.description.contains(message), "\(error)")
        #expect(error.description.contains("ApplicationConfig.plist@"), "\(error)")
    }

    @Test("Shared objects are counted at each use")
    func sharedObjects() throws {
        // 24 arrays, each of two references to the next: 2^24 values of a few bytes.
        var objects: [[UInt8]] = [[0xD1, 1, 2], Self.text("a")]
        for level in 0..<24 { objects.append([0xA2, UInt8(level + 3), UInt8(level + 3)]) }
        objects.append([0x10, 7])
        guard case .failure(let error) = read(Self.file(objects), adjust: { $0.limits.values = 100_000 }) else {
            Issue.record("read")
            return
        }
        #expect(error.code == .limitExceeded)
        let few = Self.file([[0xD1, 1, 2], Self.text("a"), [0xA2, 3, 3], Self.text("shared")])
        #expect(try read(few).get()["a"] == ["shared", "shared"])
    }

    @Test("Nesting deeper than the limit is rejected")
    func depth() throws {
        var objects: [[UInt8]] = [[0xD1, 1, 2], Self.text("a")]
        for level in 0..<90 { objects.append([0xA1, UInt8(level + 3)]) }
        objects.append([0x09])
        guard case .failure(let error) = read(Self.file(objects), adjust: { $0.limits.depth = 60 }) else {
            Issue.record("read")
            return
        }
        #expect(error.description.contains("expected at most 60 nested dictionaries and arrays"))
        #expect((try? read(Self.file(objects)).get()) != nil)
    }

    @Test("Locations in binary files are offsets")
    func offsets() throws {
        let bytes = Self.file([[0xD1, 1, 2], Self.text("a"), [0x10, 7]])
        let config = try read(bytes).get()
        #expect(config.explain("a").winner?.location.description == "ApplicationConfig.plist@13")
    }

    /// A file of these objects, the first of them the root, with numbers of these sizes and unused bytes
    /// before each object.
    static func file(_ objects: [[UInt8]], offsets: Int, references: Int, fill: [UInt8] = []) -> [UInt8] {
        func big(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> ($0 * 8)) : 0 }
        }
        var bytes = Array("bplist00".utf8)
        var starts: [Int] = []
        for object in objects {
            bytes += fill
            starts.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        bytes += starts.flatMap { big($0, offsets) }
        return bytes + [0, 0, 0, 0, 0, 1, UInt8(offsets), UInt8(references)] + big(objects.count, 8) + big(0, 8)
            + big(table, 8)
    }

    @Test("Every valid layout is parsed like by Foundation", arguments: [1, 2, 3, 4, 8], [1, 2, 4, 8])
    func layouts(offsets: Int, references: Int) throws {
        func reference(_ number: Int) -> [UInt8] {
            (0..<references).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        func utf16(_ text: String) -> [UInt8] {
            [0x60 | UInt8(text.utf16.count)] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        }
        // A count in a separate object, although it fits into the marker.
        let long: [UInt8] = [0x5F, 0x11, 0, 3] + Array("key".utf8)
        let objects: [[UInt8]] = [
            [0xD3] + [1, 2, 3].flatMap(reference) + [4, 5, 6].flatMap(reference), Self.text("a"), utf16("b"), long,
            [0xAF, 0x10, 13] + [7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 1, 2].flatMap(reference),
            [0xD1] + reference(1) + reference(5 + 1), [0xD0],
            [0x10, 0xFF], [0x11, 0xFF, 0xFF], [0x12, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x13] + [UInt8](repeating: 0xFF, count: 8),
            [0x14] + [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 0xFF, count: 8),
            [0x22, 0x3F, 0xC0, 0, 0], [0x23, 0xBF, 0xF8, 0, 0, 0, 0, 0, 0], [0x33, 0x41, 0, 0, 0, 0, 0, 0, 0],
            [0x42, 1, 2], utf16("é🔥"), [0x5F, 0x10, 0],
        ]
        for fill in [[], [0x0F], [0x00, 0x0F, 0x80, 0xFF]] as [[UInt8]] {
            let bytes = Self.file(objects, offsets: offsets, references: references, fill: fill)
            if offsets == 1, bytes.count > 255 { continue }
            let config = try read(bytes).get()
            let list: ConfigValue = [
                255, 65535, 4_294_967_295, -1, .unsigned(.max), 1.5, -1.5,
                .date(Date(timeIntervalSinceReferenceDate: 131_072)), .data(Data([1, 2])), "é🔥", "", "a", "b",
            ]
            #expect(config.values == ["a": list, "b": ["a": [:]], "key": [:]])
            #expect(Oracle.propertyList(bytes) == .dictionary(config.values))
        }
    }

    @Test(
        "Kinds that a configuration can't contain are rejected anywhere",
        arguments: [
            ([0x00], "a null or fill byte"), ([0x0F], "a null or fill byte"), ([0x80, 1], "a UID of a keyed archive"),
            ([0x8F] + [UInt8](repeating: 1, count: 16), "a UID of a keyed archive"), ([0xC1, 1], "a set"),
            ([0xB0], "an unknown marker 0xb0"), ([0x70], "an unknown marker 0x70"), ([0x15], "an integer"),
            ([0x21, 0, 0], "a real"), ([0x32, 0, 0, 0, 0], "a date"), ([0x0C], "a null or fill byte"),
        ] as [([UInt8], String)])
    func foreign(object: [UInt8], found: String) throws {
        for objects in [[[0xD1, 1, 2], Self.text("a"), object], [[0xD1, 1, 2], Self.text("a"), [0xA1, 3], object]] {
            let error = #expect(throws: ConfigError.self) { try read(Self.file(objects)).get() }
            #expect(error?.description.contains("expected a value, found \(found)") == true, "\(error as Any)")
        }
    }
}
