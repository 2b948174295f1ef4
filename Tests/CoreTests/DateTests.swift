import AshlarTestSupport
import Testing

@testable import AshlarBase
@testable import AshlarCore

@Suite struct DateTests {
    @Test("Days and dates convert both ways over 800 years")
    func civilDates() throws {
        var expected = try #require(CivilDate(year: 1599, month: 12, day: 31))
        for day in -135_140...157_054 {
            expected.day += 1
            if expected.day > CivilDate.daysInMonth(expected.month, year: expected.year) {
                (expected.day, expected.month) = (1, expected.month + 1)
            }
            if expected.month > 12 { (expected.month, expected.year) = (1, expected.year + 1) }
            guard CivilDate(daysSince1970: day) == expected, expected.daysSince1970 == day else {
                Issue.record("day \(day) is not \(expected)")
                return
            }
        }
        #expect(expected == CivilDate(year: 2400, month: 1, day: 1))
    }

    @Test(
        "Dates that don't exist are rejected",
        arguments: [(2025, 2, 29), (1900, 2, 29), (2024, 13, 1), (2024, 0, 1), (2024, 4, 31), (2024, 1, 0)])
    func missingDates(year: Int, month: Int, day: Int) {
        #expect(CivilDate(year: year, month: month, day: day) == nil)
    }

    @Test(
        "Dates and times of RFC 3339 are read",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2001-01-01T00:00:00Z", 978_307_200), ("1969-12-31T23:59:59Z", -1),
            ("1970-01-01t00:00:00z", 0), ("1970-01-01 00:00:00Z", 0), ("1970-01-01T01:00:00+01:00", 0),
            ("1969-12-31T16:30:00-07:30", 0), ("2016-12-31T23:59:60Z", 1_483_228_800),
            ("0000-01-01T00:00:00Z", -62_167_219_200),
            ("9999-12-31T23:59:59Z", 253_402_300_799), ("2024-02-29T12:00:00-00:00", 1_709_208_000),
        ] as [(String, Int64)])
    func read(text: String, seconds: Int64) {
        #expect(RFC3339.parse(text.utf8) == RFC3339.Moment(seconds: seconds, fraction: 0))
    }

    @Test(
        "Other texts are rejected",
        arguments: [
            "", "1970-01-01", "1970-01-01T00:00:00", "1970-01-01T00:00Z", "1970-1-01T00:00:00Z", "1970-01-01T24:00:00Z",
            "1970-01-01T00:60:00Z", "1970-01-01T00:00:61Z", "1970-01-01T00:00:00.Z", "1970-01-01T00:00:00+1:00",
            "1970-01-01T00:00:00+24:00", "1970-01-01T00:00:00ZZ", "1970-02-30T00:00:00Z", "+970-01-01T00:00:00Z",
            "1970-01-01_00:00:00Z", "١٩٧٠-01-01T00:00:00Z",
        ])
    func rejected(text: String) {
        #expect(RFC3339.parse(text.utf8) == nil)
    }

    @Test("Fractions have any number of digits and stay below one second")
    func fractions() {
        #expect(RFC3339.parse("1970-01-01T00:00:00.25Z".utf8)?.fraction == 0.25)
        #expect(RFC3339.parse("1970-01-01T00:00:00.000000001Z".utf8)?.fraction == 1e-9)
        let nines = RFC3339.parse("1969-12-31T23:59:59.\(String(repeating: "9", count: 400))Z".utf8)
        #expect(nines?.seconds == -1)
        #expect((nines?.fraction ?? 1) < 1)
        #expect(RFC3339.parse("2001-01-01T00:00:00.5Z".utf8)?.secondsSince2001 == 0.5)
    }

    @Test("A date alone is read on request")
    func dateOnly() {
        #expect(RFC3339.parse("2001-01-01".utf8, allowsDateOnly: true)?.secondsSince2001 == 0)
        #expect(RFC3339.parse("2001-01-01T".utf8, allowsDateOnly: true) == nil)
    }

    @Test(
        "Seconds since 2001 are rounded to milliseconds, which are omitted if they are zero",
        arguments: [
            (0, "2001-01-01T00:00:00Z"), (0.25, "2001-01-01T00:00:00.250Z"), (-0.001, "2000-12-31T23:59:59.999Z"),
            (0.0004, "2001-01-01T00:00:00Z"), (59.9996, "2001-01-01T00:01:00Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
            (-978_307_200.5, "1969-12-31T23:59:59.500Z"), (252_423_993_599, "9999-12-31T23:59:59Z"),
            (252_423_993_600, nil), (-63_145_526_400, "0000-01-01T00:00:00Z"), (-63_145_526_401, nil), (.nan, nil),
            (.infinity, nil),
        ] as [(Double, String?)])
    func sinceReferenceDate(seconds: Double, text: String?) {
        #expect(RFC3339.format(secondsSince2001: seconds) == text)
    }

    @Test("Written dates are read back")
    func roundTrip() {
        var random = SeededRandom(seed: 51)
        for _ in 0..<5000 {
            let seconds = Int64.random(in: -62_167_219_200...253_402_300_799, using: &random)
            let nanoseconds = Int.random(in: 0..<1000, using: &random) * 1_000_000
            let text = RFC3339.format(seconds: seconds, nanoseconds: nanoseconds, digits: 3)
            #expect(RFC3339.parse(text.utf8)?.seconds == seconds)
            #expect(RFC3339.parse(text.utf8)?.fraction == Double(nanoseconds) / 1e9)
        }
        #expect(RFC3339.format(seconds: -1, nanoseconds: 5_000_000, digits: 9) == "1969-12-31T23:59:59.005000000Z")
        #expect(RFC3339.format(seconds: 253_402_300_800) == "10000-01-01T00:00:00Z")
    }
}
