import AshlarNetworkingTestSupport
import Testing

/// Gaps of Foundation's URLSession on Linux (Swift 6.3); each test asserts that the gap still exists.
///
/// A closed gap makes its test fail, so the list remains correct.
enum KnownGap: String {
    case normalizesPaths = "`/a/../b` is sent as `/b`"
    case refusesBodyOfGET = "GET with a body fails with `resource exceeds maximum size`"
    case seesNoBadHead = "a broken head is accepted, or fails as if the connection had been lost"
    case kills = "an answer that ends within its head, or announces 2⁶³−1 bytes, kills the process"
    case vagueErrors = "broken chunks or compression are accepted or fail without saying why"
    case saysNothingOfTLS = "a refused certificate fails as if the connection had been lost"
    case mergesFields = "of repeated fields only one is seen, or all joined by commas"
    case needsSpaceAfterColon = "`Header:value` without a space makes the answer fail"

    /// Runs a check that must fail if the gap exists, and succeed otherwise.
    static func check(_ gap: KnownGap, _ kind: TransportKind, _ body: () async throws -> Void) async throws {
        guard kind.isLinuxURLSession else {
            try await body()
            return
        }
        await withKnownIssue(Comment(rawValue: "URLSession on Linux: " + gap.rawValue)) { try await body() }
    }
}
