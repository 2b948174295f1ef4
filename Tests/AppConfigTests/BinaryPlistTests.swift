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

    /// A file whose third object is said to begin at its first byte.
    static let offsetInHeader: [UInt8] = {
        var bytes = file([[0xD1, 1, 2], text("a"), [0x10, 5]])
        let table = 8 + 3 + 2 + 2
        bytes[table + 5] = 0
        return bytes
    }()

    static func text(_ text: String) -> [UInt8] { [0x50 | UInt8(text.utf8.count)] + Array(text.utf8) }

    @Test(
        "Forged and foreign files are refused with the offset",
        arguments: [
            (file([[0xD1, 1, 0], text("a")]), "a: expected a tree of objects, found a container that holds itself"),
            (file([[0xD1, 1, 9], text("a")]), "a: expected an object below 2, found a forged reference"),
            (file([[0xD1, 1, 1], text("a")]) { $0[15] = 200 }, "expected an offset table inside of the file"),
            (file([[0xD1, 1, 1], text("a")]) { $0[6] = 0 }, "expected sizes from 1 to 8 in the trailer"),
            (file([[0xDF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]]), "found one that ends beyond it"),
            (offsetInHeader, "a: expected an object inside of the file, found a forged offset"),
            (
                file([
                    [0xD1, 1, 2], text("a"), [0x14] + [UInt8](repeating: 0xFF, count: 8) + [0, 0, 0, 0, 0, 0, 0, 1],
                ]),
                "a: expected a whole number in 64 bits, found one of 128 bits"
            ),
            (file([[0xA0]]), "expected a dictionary as the root, found an array"),
            (file([[0xD1, 1, 2], [0x10, 5], text("a")]), "expected a string as key, found an integer"),
            (file([[0xD1, 1, 2], text("a"), [0x80, 1]]), "a: expected a value, found a UID of a keyed archive"),
            (file([[0xD1, 1, 2], text("a"), [0x62, 0xD8, 0, 0, 65]]), "a: expected UTF-16 text"),
            (file([[0xD1, 1, 2], text("a"), [0x51, 0xFF]]), "a: expected ASCII text"),
            (file([[0xD1, 1, 2], text("a"), [0x5F, 0x10, 0xFF]]), "found one that ends beyond it"),
            (file([[0xD2, 1, 2, 1, 2], text("a"), text("a")]), "a: the key stands twice"),
            (Array("bplist01".utf8) + [UInt8](repeating: 0, count: 40), "expected version 00 of the binary format"),
            (Array("bplist00".utf8), "expected a trailer of 32 bytes, found the end of the file"),
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

    @Test("Objects that share others are counted at each use")
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

    @Test("A nesting deeper than the limit is refused")
    func depth() throws {
        var objects: [[UInt8]] = [[0xD1, 1, 2], Self.text("a")]
        for level in 0..<200 { objects.append([0xA1, UInt8(level + 3)]) }
        objects.append([0x09])
        guard case .failure(let error) = read(Self.file(objects), adjust: { $0.limits.depth = 100 }) else {
            Issue.record("read")
            return
        }
        #expect(error.description.contains("expected at most 100 nested dictionaries and arrays"))
        #expect((try? read(Self.file(objects)).get()) != nil)
    }

    @Test("Places in binary files are offsets")
    func offsets() throws {
        let bytes = Self.file([[0xD1, 1, 2], Self.text("a"), [0x10, 7]])
        let config = try read(bytes).get()
        #expect(config.explain("a").winner?.origin.description == "ApplicationConfig.plist@13")
    }
}
