// Prints what AshlarCore's parsers return for texts, numbers, dates and damaged documents. `Scripts/check-pointer-size`
// runs the program with pointers of 64 and of 32 bits; both must print the same lines.

/// A linear congruential generator, so that both programs damage the documents in the same way.
struct Seeded {
    var state: UInt64

    mutating func next(below bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(truncatingIfNeeded: (state >> 33) % UInt64(bound))
    }

    /// Replaces, inserts or removes up to four bytes.
    mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<next(below: 4) + 1 {
            let at = next(below: bytes.count)
            switch next(below: 3) {
            case 0: bytes[at] = UInt8(next(below: 256))
            case 1: bytes.insert(UInt8(next(below: 256)), at: at)
            default: if bytes.count > 1 { bytes.remove(at: at) }
            }
        }
        return bytes
    }
}

func line(_ parts: String...) {
    var text = ""
    for part in parts { text += text.isEmpty ? part : " " + part }
    print(text)
}

func hex(_ bytes: some Sequence<UInt8>) -> String {
    var digits: [UInt8] = []
    for byte in bytes { digits += [UInt8.hexDigit(byte >> 4), UInt8.hexDigit(byte & 15)] }
    return String(decoding: digits, as: UTF8.self)
}

/// The bits of a number, because the standard library of the 32-bit program cannot print all of them.
func bits(_ value: Double?) -> String { value.map { String($0.bitPattern, radix: 16) } ?? "none" }

func describe(_ document: PropertyListDocument) -> String {
    var text = ""
    for node in document.nodes {
        text += "\(node.kind.rawValue):\(String(node.payload, radix: 16))@\(node.position)/\(node.keyPosition) "
    }
    for string in document.strings { text += "'\(hex(string.utf8))' " }
    for data in document.blobs { text += "<\(hex(data))> " }
    return text
}

func describe(_ document: JSONDocument, at index: Int = 0, into text: inout String) {
    let range = document.range(of: index)
    text += "@\(range.lowerBound)-\(range.upperBound)"
    switch document.kind(at: index) {
    case .object:
        text += "{"
        for key in document.children(of: index) {
            text += hex(document.string(at: key).utf8)
            describe(document, at: key + 1, into: &text)
        }
    case .array:
        text += "["
        for child in document.children(of: index) { describe(document, at: child, into: &text) }
    case .string: text += "'" + hex(document.string(at: index).utf8)
    case .integer, .fraction:
        text += document.int64(at: index).map(String.init) ?? "none"
        text += "/" + (document.uint64(at: index).map { String($0) } ?? "none") + "/" + bits(document.double(at: index))
    default: text += hex(document.bytes(at: index))
    }
}

func parseJSON(_ bytes: [UInt8]) -> String {
    do throws(JSONSyntaxError) {
        let document = try JSONDocument(bytes)
        var text = ""
        describe(document, into: &text)
        return text
    } catch {
        return "error \(error.line):\(error.column) \(error.message)"
    }
}

func parsePropertyList(_ bytes: [UInt8]) -> String {
    do throws(PropertyListError) {
        let document =
            try BinaryPropertyListParser.recognizes(bytes)
            ? BinaryPropertyListParser.parse(bytes) : XMLPropertyListParser.parse(bytes)
        return describe(document)
    } catch {
        return "error \(error.offset) \(error.message)"
    }
}

/// A binary property list of these objects, with offsets and references of one byte.
func binaryPropertyList(_ objects: [[UInt8]]) -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
        offsets.append(UInt8(bytes.count))
        bytes += object
    }
    let table = UInt8(bytes.count)
    return bytes + offsets + [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, UInt8(objects.count)]
        + [UInt8](repeating: 0, count: 15) + [table]
}

let numbers = [
    "0", "-0", "7", "2147483647", "2147483648", "-2147483649", "4294967296", "9007199254740993", "9223372036854775807",
    "-9223372036854775808", "9223372036854775808", "18446744073709551615", "18446744073709551616", "1e3", "1e-3",
    "1e400",
    "-2.50e1", "123456789012345678901234567890e-20", "1e2147483648", "1e-9223372036854775809", "0.1", "1E+18", "1.5e9",
]
for number in numbers {
    let bytes = Array(number.utf8)
    let integer =
        switch NumberText.integer(bytes[...]) {
        case .signed(let value): "signed \(value)"
        case .unsigned(let value): "unsigned \(value)"
        case nil: "none"
        }
    line("number", number, parseJSON(bytes), integer, bits(NumberText.real(bytes[...])))
    line("list", number, parsePropertyList(Array("<plist><integer>\(number)</integer></plist>".utf8)))
    line("real", number, parsePropertyList(Array("<plist><real>\(number)</real></plist>".utf8)))
}

let moments = [
    "1970-01-01T00:00:00Z", "2001-01-01T00:00:00Z", "2038-01-19T03:14:07Z", "2038-01-19T03:14:08Z",
    "2069-01-19T03:14:08Z",
    "9999-12-31T23:59:60Z", "0001-01-01T00:00:00+23:59", "1901-12-13 20:45:51-00:01", "2106-02-07T06:28:16.123456789z",
    "2106-02-07T06:28:16.12345678901234567890Z", "2000-02-30T00:00:00Z",
]
for moment in moments {
    let parsed = RFC3339.parse(moment.utf8)
    line(
        "date", moment, parsed.map { "\($0.seconds)" } ?? "none", bits(parsed?.secondsSince2001),
        parsed.map { RFC3339.format(seconds: $0.seconds, nanoseconds: 999_999_999, digits: 9) } ?? "none",
        parsePropertyList(Array("<plist><date>\(moment)</date></plist>".utf8)))
}
for days in [-719_162, -1, 0, 11_016, 24_855, 49_710, 2_932_896, 5_000_000] {
    let date = CivilDate(daysSince1970: days)
    line("day", "\(date.year)-\(date.month)-\(date.day) \(date.daysSince1970)")
}
for seconds: Int64 in [-62_135_596_800, -2_147_483_649, 4_294_967_296, 253_402_300_799] {
    line("time", RFC3339.format(seconds: seconds, digits: 3))
}

let texts = ["", "a", "päss/ wörd?%", "👩‍👩‍👧 \u{0}", "<https://user:secret@host/?q=1>"]
for text in texts {
    let encoded = Base64.encode(Array(text.utf8))
    line("bytes", String(ByteHash.hash(text, seed: 7), radix: 16), encoded, hex(Base64.decode(encoded.utf8) ?? []))
    let percent = PercentCoding.encode(text)
    line("percent", percent, hex((PercentCoding.decode(percent) ?? "none").utf8))
}

for name in ["password", "tokenizer", "dbPassword", "url", "authorName"] {
    line("secret", name, SecretNames.standard.matches(name) ? "secret" : "public")
}

let objects: [[UInt8]] = [
    [0xD2, 1, 2, 3, 4], [0x51, 0x61], [0x51, 0x62], [0xA4, 5, 6, 7, 8], [0x62, 0xD8, 0x3D, 0xDE, 0x00],
    [0x13, 0x80, 0, 0, 0, 0, 0, 0, 1], [0x33, 0x42, 0x0A, 0, 0, 0, 0, 0, 0], [0x4F, 0x10, 2, 1, 2],
    [0x14] + [UInt8](repeating: 0, count: 8) + [0xFF, 0, 0, 0, 0, 0, 0, 1],
]
let list = """
    <?xml version="1.0" encoding="UTF-8"?><!DOCTYPE plist [<!-- ] -->]>
    <plist version="1.0"><dict><key>a&amp;b</key><array><integer>-9223372036854775808</integer><real>1e300</real>
    <true/><date>2106-02-07T06:28:16Z</date><data>AAEC</data><string>x&#x1F600;<![CDATA[<y>]]></string></array></dict></plist>
    """
let json =
    #" {"a" : [1, -2.50e1, true, false, null, 9223372036854775807, 1e400], "b\n": "x\u00e9\ud83d\ude00", "c": {"d": []}} "#

func damageDocuments(_ documents: [[UInt8]]) {
    var random = Seeded(state: 20_061)
    for (kind, document) in documents.enumerated() {
        let parse = kind == 2 ? parseJSON : parsePropertyList
        line("document", parse(document))
        for _ in 0..<3000 { line("damaged", parse(random.damaged(document))) }
    }
}
damageDocuments([binaryPropertyList(objects), Array(list.utf8), Array(json.utf8)])
