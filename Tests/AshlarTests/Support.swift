import Ashlar
import AshlarTestSupport
import Foundation
import Testing

extension TemporaryFolder {
    static let hostMap = """
        {"configurations": [{"canonical_host": "api.example", "canonical_protocol": "https", "release_key": "PROD",
          "prerelease_key": "QA", "hosts": [{"key": "PROD", "host": "www.example"}, {"key": "QA", "host": "qa.example"},
          {"key": "DEV", "host": "dev.example"}]}]}
        """
}

extension AshlarApp.Configuration {
    /// Returns settings for an app that stores nothing on the disk.
    static func inMemory(
        resources: String? = nil, environments: [ConfigEnvironment]? = nil, bundleIdentifier: String? = nil,
        log: LogConfiguration? = LogConfiguration()
    ) -> AshlarApp.Configuration {
        var configuration = AshlarApp.Configuration(
            resources: resources, environments: environments, bundleIdentifier: bundleIdentifier, log: log)
        configuration.storage = .memory
        return configuration
    }
}
