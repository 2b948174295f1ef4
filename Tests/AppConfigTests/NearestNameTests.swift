import AshlarAppConfig
import Testing

@Suite struct NearestNameTests {
    @Test(
        "The nearest name has the fewest edits, at most a third of the name",
        arguments: [
            ("timeuot", ["retries", "timeout"], "timeout"), ("ab", ["ba"], "ba"), ("abc", ["abd"], "abd"),
            ("abc", ["ade"], nil), ("abc", ["bca"], nil), ("abcdef", ["bacdfe"], "bacdfe"), ("abcdef", ["badcfe"], nil),
            ("abcdef", ["abcd"], "abcd"), ("abcdef", ["abc"], nil), ("abcdef", ["abcdefgh"], "abcdefgh"),
            ("abcdef", ["abcdefghi"], nil), ("HOST", ["host"], "host"), ("hos", ["host", "hose"], "host"),
            ("host", ["hosts", "host", "Host"], "host"), ("hostname", ["hotname", "hostnam", "hostname"], "hostname"),
            ("", ["a"], "a"), ("", ["ab"], nil), ("a", [], nil), ("abcabc", ["acbabc"], "acbabc"),
        ] as [(String, [String], String?)])
    func table(name: String, candidates: [String], nearest: String?) {
        #expect(NearestName.find(name, among: candidates) == nearest)
    }
}
