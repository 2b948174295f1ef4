import AshlarNetworking
import AshlarOriginals
import Testing

/// SquidKit's reading of strings as numbers and Booleans.
@Suite struct JSONParityTests {
    @Test(
        "SquidKit's rule reads strings like NSString",
        arguments: [
            ("12abc", 12, 12, true), ("abc", 0, 0, false), ("3.9", 3, 3.9, true), ("", 0, 0, false),
            ("  7", 7, 7, true), ("-5x", -5, -5, true),
            ("+6", 6, 6, true), ("Y", 0, 0, true), ("yes", 0, 0, true), ("true", 0, 0, true), ("t", 0, 0, true),
            ("no", 0, 0, false),
            ("0001", 1, 1, true), ("000", 0, 0, false), ("-0009", -9, -9, true), ("1e3", 1, 1000, true),
            (".5", 0, 0.5, false), ("5.", 5, 5, true),
            ("1e", 1, 1, true), ("1e+", 1, 1, true), ("-", 0, 0, false), (".", 0, 0, false),
            ("99999999999999999999", .max, 1e20, true),
            ("-99999999999999999999", .min, -1e20, true), ("0x10", 0, 0, false), ("nan", 0, 0, false),
            ("\t\n8", 8, 8, true),
        ] as [(String, Int, Double, Bool)])
    func squidKit(text: String, int: Int, double: Double, bool: Bool) throws {
        let value = (["list": [JSONEntity(text)]] as JSONEntity)["list"][0]
        #expect(value.squidKitInt() == int)
        #expect(value.squidKitDouble() == double)
        #expect(value.squidKitBool() == bool)
        #expect(value.string() == text)
        #expect(
            value["x"].squidKitInt() == nil && value["x"].squidKitDouble() == nil && value["x"].squidKitBool() == nil)
    }

    @Test("Other values are read as without SquidKit's rule")
    func otherValues() throws {
        let list = try JSONEntity(parsing: "[1.5, 1.0, 2, true, 1, 0, null, []]")
        #expect(list[0].squidKitInt() == nil && list[1].squidKitInt() == 1 && list[2].squidKitBool() == nil)
        #expect(list[3].squidKitInt() == 1 && list[4].squidKitBool() == true && list[5].squidKitBool() == false)
        #expect(list[0].squidKitDouble() == 1.5 && list[6].squidKitInt() == nil && list[7].squidKitDouble() == nil)
    }
}
