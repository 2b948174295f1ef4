import AshlarAppConfig

extension ConfigStore {
    /// Waits until the current configuration satisfies a condition; the test's time limit ends the wait.
    func wait(until isMet: @Sendable (ApplicationConfig) -> Bool) async {
        for await config in changes() where isMet(config) { return }
    }
}
