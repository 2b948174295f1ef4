import Testing

/// What Foundation's URLSession cannot do on Linux (Swift 6.3); every case is asserted to fail still.
///
/// A gap that has been closed makes its test fail, so the list stays true.
enum KnownGap: String {
    case normalizesPaths = "`/a/../b` is sent as `/b`"
    case refusesBodyOfGET = "GET with a body fails with `resource exceeds maximum size`"
    case seesNoBadHead = "a broken head is accepted, or fails as if the connection had been lost"
    case kills = "an answer that ends within its head, or announces 2⁶³−1 bytes, kills the process"
    case vagueErrors = "broken chunks or compression are accepted or fail without saying why"
    case saysNothingOfTLS = "a refused certificate fails as if the connection had been lost"
    case mergesFields = "of repeated fields only one is seen, or all joined by commas"
    case needsSpaceAfterColon = "`Header:value` without a space makes the answer fail"

    /// Runs a check that must fail as long as the gap is there, and passes where there is none.
    static func check(_ gap: KnownGap, _ kind: TransportKind, _ body: () async throws -> Void) async throws {
        guard kind.isLinuxURLSession else {
            try await body()
            return
        }
        await withKnownIssue(Comment(rawValue: "URLSession on Linux: " + gap.rawValue)) { try await body() }
    }
}
