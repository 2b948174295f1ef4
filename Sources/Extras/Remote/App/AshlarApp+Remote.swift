public import Ashlar
import AshlarAppConfig
import AshlarLogging

extension AshlarApp {
    /// Fetches the files of `Configuration.remote` and uses them.
    ///
    /// The files are fetched at the same time. A file that fails leaves the one in use.
    ///
    /// - Returns: An issue for each file that could not be fetched or was rejected.
    @discardableResult
    public func refresh() async -> [StartupIssue] {
        guard let remote = additions.lazy.compactMap({ $0 as? RemoteParts }).first else { return [] }
        async let configuration = Self.issue(.configuration, remote.configuration != nil) {
            try await self.config.refresh()
        }
        async let hostMap = Self.issue(.hosts, remote.hostMap != nil) { try await remote.hostMap?.refresh() }
        async let texts = Self.issue(.customization, remote.texts != nil) { try await remote.texts?.refresh() }
        return await [configuration, hostMap, texts].compactMap(\.self)
    }

    /// Fetches the files at once and at intervals until the task is cancelled, and logs failures.
    ///
    /// - Parameters:
    ///   - interval: The mean time between two refreshes. Each pause differs from it by up to a tenth at random, so that
    ///     the requests of many apps spread.
    ///   - clock: The clock that measures the pauses.
    public func refresh<C: Clock>(every interval: Duration, clock: C = ContinuousClock()) async
    where C.Duration == Duration {
        await RemoteDocument.atIntervals(interval, jitter: 0.1, clock: clock) {
            for issue in await self.refresh() { Log("remote").warning("\(issue)") }
        }
    }

    private static func issue(
        _ part: StartupIssue.Part, _ exists: Bool, _ body: @Sendable () async throws -> Void
    ) async -> StartupIssue? {
        guard exists else { return nil }
        do {
            try await body()
            return nil
        } catch {
            return StartupIssue(part, error, isError: true)
        }
    }
}
