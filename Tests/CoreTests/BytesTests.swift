import AshlarCore
import AshlarTestSupport
import Testing

@Suite struct UTF8ValidationTests {
    @Test("The check of texts agrees with the standard library, in pieces of any size")
    func texts() {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("texts: seed \(seed)")
        var generator = SeededRandom(seed: seed)
        let parts: [[UInt8]] = [
            [0x41], Array("ascii text".utf8), [0xC3, 0xA9], [0xE2, 0x82, 0xAC], [0xED, 0x9F, 0xBF],
            [0xEE, 0x80, 0x80],
            [0xF0, 0x90, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xFF], [0x80],
            [0xE0, 0x9F, 0x80], [0xF0, 0x8F, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80],
        ]
        var (valid, invalid) = (0, 0)
        for _ in 0..<20_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                let most = Int.random(in: 0..<4, using: &generator) == 0 ? parts.count : 8
                bytes += parts[Int.random(in: 0..<most, using: &generator)]
            }
            if Int.random(in: 0..<5, using: &generator) == 0, !bytes.isEmpty { bytes.removeLast() }
            var check = UTF8Validation()
            let size = Int.random(in: 1...12, using: &generator)
            let accepts = stride(from: 0, to: bytes.count, by: size).allSatisfy { start in
                bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { check.accepts($0) }
            }
            let isValid = String(validating: bytes, as: UTF8.self) != nil
            #expect((accepts && check.isComplete) == isValid, "\(bytes)")
            if isValid { valid += 1 } else { invalid += 1 }
        }
        #expect(valid > 1000 && invalid > 1000)
    }

    @Test(
        "The first ill-formed sequence is found",
        arguments: [
            ([], nil), ([0x41], nil), ([0xC3, 0xA9], nil), ([0xE2, 0x82, 0xAC], nil), ([0xF0, 0x9F, 0x98, 0x80], nil),
            ([0x80], 0), ([0x41, 0xC3], 1), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xE0, 0x80, 0x80], 0),
            ([0xED, 0xA0, 0x80], 0), ([0xED, 0x9F, 0xBF], nil), ([0xF0, 0x80, 0x80, 0x80], 0),
            ([0xF4, 0x8F, 0xBF, 0xBF], nil), ([0xF4, 0x90, 0x80, 0x80], 0), ([0xF5, 0x80, 0x80, 0x80], 0),
            ([0x41, 0xE2, 0x82], 1), ([0xFF], 0), (Array("abcdefgh".utf8) + [0xFF], 8),
        ] as [([UInt8], Int?)])
    func table(bytes: [UInt8], offset: Int?) {
        #expect(UTF8Validation.firstInvalid(in: bytes) == offset)
    }

    @Test("Random bytes are valid exactly when the standard library accepts them", arguments: [UInt64(11), 12, 13])
    func agreesWithTheStandardLibrary(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let alphabet: [UInt8] = [0x41, 0x80, 0xBF, 0xC2, 0xE0, 0xA0, 0xED, 0x9F, 0xF0, 0x90, 0xF4, 0x8F, 0xFF]
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            let expected = String(validating: bytes, as: UTF8.self) != nil
            #expect((UTF8Validation.firstInvalid(in: bytes) == nil) == expected, "seed \(seed): \(bytes)")
            let valid = bytes[..<(UTF8Validation.firstInvalid(in: bytes) ?? bytes.count)]
            #expect(String(validating: valid, as: UTF8.self) != nil, "seed \(seed): \(bytes)")
        }
    }
}

@Suite struct Base64Tests {
    @Test(
        "RFC 4648's examples",
        arguments: zip(
            ["", "f", "fo", "foo", "foob", "fooba", "foobar"],
            ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]))
    func examples(plain: String, encoded: String) {
        #expect(Base64.encode(plain.utf8) == encoded)
        #expect(Base64.decode(encoded.utf8) == Array(plain.utf8))
    }

    @Test(
        "Incomplete and foreign texts are rejected",
        arguments: ["QQ", "QQ=", "QQ===", "Q", "Q===", "=", "QQ==QQ==", "Q-==", "Q Q=="])
    func rejected(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }

    @Test("Whitespace is accepted on request")
    func whitespace() {
        #expect(Base64.decode(" Zm\n9v\tYg==\r\n".utf8, ignoringWhitespace: true) == Array("foob".utf8))
        #expect(Base64.decode("Zm 9v".utf8) == nil)
    }

    @Test("Decoding reverses encoding")
    func roundTrip() {
        var random = SeededRandom(seed: 21)
        for _ in 0..<2000 {
            let bytes = random.bytes(upTo: 40)
            #expect(Base64.decode(Base64.encode(bytes).utf8) == bytes)
        }
    }
}

@Suite struct PercentCodingTests {
    @Test("Unreserved characters stay, others are escaped")
    func encoding() {
        #expect(PercentCoding.encode("aZ9-._~ /é%") == "aZ9-._~%20%2F%C3%A9%25")
        #expect(
            PercentCoding.encode("a/b", allowed: { PercentCoding.isSegmentByte($0) || $0 == UInt8(ascii: "/") })
                == "a/b")
    }

    @Test(
        "Escapes are decoded once",
        arguments: [("a%20b", "a b"), ("%2541", "%41"), ("%c3%A9", "é"), ("", ""), ("a+b", "a+b")])
    func decoding(text: String, decoded: String) {
        #expect(PercentCoding.decode(text) == decoded)
    }

    @Test(
        "Faults are reported with their offset",
        arguments: [
            ("%", .escape, 0), ("ab%4", .escape, 2), ("a%zz", .escape, 1), ("é%f", .escape, 2), ("a%ffb", .utf8, 1),
            ("%41%C3x", .utf8, 3),
        ] as [(String, URLFault.Kind, Int)])
    func faults(text: String, kind: URLFault.Kind, offset: Int) {
        let fault = #expect(throws: URLFault.self) { try PercentCoding.decode(Array("+\(text)".utf8).dropFirst()) }
        #expect(fault?.kind == kind && fault?.offset == offset + 1)
        #expect(PercentCoding.decode(text) == nil)
    }

    @Test("A plus sign is a space in forms, and a slice decodes like an array")
    func forms() {
        #expect(PercentCoding.decode("a+%2B", plusIsSpace: true) == "a +")
        #expect(PercentCoding.decode("x%41y".dropFirst()) == "Ay")
    }

    @Test("Decoding reverses encoding")
    func roundTrip() {
        var random = SeededRandom(seed: 31)
        for _ in 0..<2000 {
            let text = String(decoding: random.bytes(upTo: 30), as: UTF8.self)
            #expect(PercentCoding.decode(PercentCoding.encode(text)) == text)
        }
    }
}

@Suite struct HashIndexTests {
    @Test("Equal bytes have equal hashes, and every length is hashed whole")
    func hashes() {
        var bytes = [UInt8](repeating: 7, count: 70)
        var seen: Set<UInt64> = []
        for length in 0...64 {
            let hash = bytes[..<length].withUnsafeBufferPointer { ByteHash.hash($0) }
            #expect(
                hash == ByteHash.hash(bytes[..<length].withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }))
            #expect(seen.insert(hash).inserted)
            for at in 0..<length {
                bytes[at] ^= 1
                #expect(
                    bytes[..<length].withUnsafeBufferPointer { ByteHash.hash($0) } != hash, "byte \(at) of \(length)")
                bytes[at] ^= 1
            }
        }
    }

    @Test("An index agrees with a dictionary", arguments: [false, true])
    func agreesWithADictionary(replaces: Bool) {
        var random = SeededRandom(seed: 41)
        var index = HashIndex(expecting: 400)
        for _ in 0..<3 {
            index.reset(expecting: 400)
            var keys: [String] = []
            var model: [String: Int] = [:]
            for number in 0..<400 {
                let key = "k\(Int.random(in: 0..<200, using: &random))"
                keys.append(key)
                // A poor hash makes keys share cells.
                let hash = UInt64(key.utf8.count) << 32 | 1
                let old = index.insert(number, hash: hash, replaces: replaces) { keys[$0] == key }
                #expect(old == model[key])
                if replaces || old == nil { model[key] = number }
                #expect(index.find(hash) { keys[$0] == key } == model[key])
                #expect(index.find(hash) { keys[$0] == "absent" } == nil)
            }
        }
    }
}

@Suite struct DigitsTests {
    @Test("Numbers have leading zeros, and a sign in front of them")
    func numbers() {
        #expect(0.digits(0) == "0")
        #expect(7.digits(2) == "07")
        #expect((-7).digits(2) == "-07")
        #expect(123.digits(2) == "123")
        #expect(Int64.min.digits(21) == "-009223372036854775808")
        #expect(UInt64.max.digits(17, radix: 16) == "0ffffffffffffffff")
        #expect(UInt8(10).digits(4, radix: 16, uppercase: true) == "000A")
    }

    @Test("Bytes have two lowercase hexadecimal digits each")
    func bytes() {
        #expect([UInt8]().hexadecimal == "")
        #expect([0, 9, 10, 15, 16, 0x7F, 0xAB, 255].hexadecimal == "00090a0f107fabff")
    }
}

@Suite struct ASCIITests {
    @Test("Digits, letters, spaces and lowercase letters are those of ASCII")
    func classes() {
        for byte in UInt8.min ... .max {
            let scalar = Unicode.Scalar(byte)
            let isASCII = byte < 0x80
            #expect(byte.isDigit == (isASCII && scalar.properties.numericType == .decimal))
            #expect(byte.isLetter == (isASCII && scalar.properties.isAlphabetic))
            #expect(byte.isSpace == (isASCII && scalar.properties.isWhitespace))
            let lowercased = isASCII ? scalar.properties.lowercaseMapping.utf8.first : byte
            #expect(byte.asciiLowercased == lowercased)
        }
    }

    @Test(
        "Trimming removes ASCII characters only, even in front of a combining character",
        arguments: [
            ("", ""), ("  ", ""), ("a", "a"), ("\t a b\r\n", "a b"), ("a \u{301}", "a \u{301}"),
            (" \u{301}a", "\u{301}a"), ("\u{A0}a ", "\u{A0}a"), (" é ", "é"),
        ])
    func trimming(text: String, expected: String) {
        #expect(Array(text.trimming(\.isSpace).utf8) == Array(expected.utf8))
        #expect(Array(text[...].trimming(\.isSpace).utf8) == Array(expected.utf8))
    }
}
