extension Clock where Duration == Swift.Duration {
    /// Waits until a time limit has passed.
    ///
    /// A clock can't represent the end of a limit of centuries, so more than thirty years are shortened to these.
    func wait(for limit: Duration) async throws { try await sleep(for: min(limit, .seconds(1_000_000_000))) }
}
