public import Testing

/// Waits until a condition is true; fails the test if it isn't after two minutes.
///
/// The wait sleeps between two checks, because tasks that only yield can starve the code that makes the condition true. A
/// suite's time limit doesn't end such a wait, nor the process of an exit test. The limit is long because tests that block share
/// the threads of all tasks.
public func until(
    _ what: String = "the condition is true", isolation: isolated (any Actor)? = #isolation,
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    let limit = ContinuousClock.now + .seconds(120)
    while try await !condition() {
        try #require(ContinuousClock.now < limit, "two minutes passed before \(what)", sourceLocation: sourceLocation)
        try await Task.sleep(for: .milliseconds(1))
    }
}
