import Foundation
import Testing

@testable import AshlarNetworking

/// The rules of public suffixes.
@Suite struct PublicSuffixTests {
    static let cases: [(String, Bool)] = [
        ("com", true), ("x", true), ("localhost", true), ("example.com", false), ("co.uk", true), ("uk", true),
        ("shop.co.uk", false), ("github.io", true), ("me.github.io", false), ("ck", true), ("any.ck", true),
        ("www.ck", false),
        ("a.any.ck", false), ("any.kawasaki.jp", true), ("city.kawasaki.jp", false),
        ("xn--55qx5d.cn", true), ("a.unlisted", false), ("k12.ma.us", true), ("s3.amazonaws.com", true), ("", true),
    ]

    @Test("Public suffixes are those of the list", arguments: cases)
    func table(domain: String, isSuffix: Bool) {
        #expect(PublicSuffixes.contains(domain) == isSuffix)
    }

    @Test("Every rule of the table is a public suffix")
    func everyRule() {
        var count = 0
        for entry in PublicSuffixTable.text.split(separator: " ") {
            let parts = entry.split(separator: ":")
            for rule in parts.count > 1 ? parts[1].split(separator: ",") : [] where !rule.hasPrefix("!") {
                let domain = rule.replacingOccurrences(of: "*", with: "any") + "." + parts[0]
                #expect(PublicSuffixes.contains(domain), "\(domain)")
                #expect(!PublicSuffixes.contains("a.b.c." + domain), "\(domain)")
                count += 1
            }
        }
        #expect(count > 7000)
    }
}
