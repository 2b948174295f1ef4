import AshlarAppConfig
import AshlarRemote
import AshlarTestSupport
import Foundation
import Testing

/// The full counts are for `ASHLAR_SOAK=1`; a normal run uses a part of them.
func rounds(_ normal: Int, soak: Int) -> Int {
    ProcessInfo.processInfo.environment["ASHLAR_SOAK"] == "1" ? soak : normal
}

extension TemporaryFolder {
    func file() -> String { file("ApplicationConfig.json") }

    func write(_ text: String, atomically: Bool = true) throws {
        try write(text, to: "ApplicationConfig.json", atomically: atomically)
    }

    func plan() -> ConfigPlan { ConfigPlan(files: .directory(path), environments: []) }
}

/// A plan for files in memory in the environment of a release build.
func plan(_ files: [String: String]) -> ConfigPlan { ConfigPlan(files: .memory(files), environments: []) }

extension RemoteConfigSource.Status {
    /// The error of a configuration.
    var failure: ConfigError? { error as? ConfigError }
}

extension ConfigStore {
    /// Waits until a configuration satisfies a condition.
    func wait(until isMet: @Sendable (ApplicationConfig) -> Bool) async {
        for await config in changes() where isMet(config) { return }
    }
}
