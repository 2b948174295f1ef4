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
