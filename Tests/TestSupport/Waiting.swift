/// A condition that didn't become true in time.
public struct OverdueCondition: Error, CustomStringConvertible {
    /// The place of the wait, and what it waits for.
    public let description: String
}

/// Waits until a condition is true; throws an error if it isn't after two minutes.
///
/// The wait sleeps between two checks, because tasks that only yield can starve the code that makes the condition true. A
/// suite's time limit doesn't end such a wait, nor the process of an exit test. The limit is long because tests that
/// block share the threads of all tasks.
public func until(
    _ what: String = "the condition is true", isolation: isolated (any Actor)? = #isolation, fileID: String = #fileID,
    line: Int = #line, _ condition: () async throws -> Bool
) async throws {
    let limit = ContinuousClock.now + .seconds(120)
    while try await !condition() {
        guard ContinuousClock.now < limit else {
            throw OverdueCondition(description: "\(fileID):\(line): two minutes passed before \(what)")
        }
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// Repeats an attempt once if a busy machine spoiled it; throws an error if it spoiled both.
///
/// The reason states what a busy machine can do to an attempt. A spoiled attempt returns false.
public func repeatingOnce(
    if reason: String, isolation: isolated (any Actor)? = #isolation, fileID: String = #fileID, line: Int = #line,
    _ attempt: () async throws -> Bool
) async throws {
    for _ in 0..<2 where try await attempt() { return }
    throw OverdueCondition(description: "\(fileID):\(line): both attempts were spoiled: \(reason)")
}
