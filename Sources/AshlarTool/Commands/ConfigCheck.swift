import AshlarCore
import AshlarRemote
import AshlarTooling

/// The check of the files and flags of a configuration.
struct ConfigCheck {
    private struct Finding: Hashable {
        let severity: String
        let text: String
        let key: String?
        let location: String?
    }

    private let sources: ConfigSources

    init(_ sources: ConfigSources) { self.sources = sources }

    /// Reports the problems of the selected environments together, or of the base files and each environment alone.
    func run(_ output: ToolOutput, asJSON: Bool) -> ToolStatus {
        let environments = sources.environments
        let combinations =
            environments.isEmpty ? [[]] + sources.availableEnvironments.map { [$0] } : [environments]
        var findings: [Finding] = []
        for environments in combinations {
            for finding in self.findings(environments) where !findings.contains(finding) { findings.append(finding) }
        }
        if asJSON {
            var listing = Listing("severity", "text", "key", "location")
            for finding in findings {
                listing.add(
                    .string(finding.severity), .string(finding.text), finding.key.map { .string($0) } ?? .null,
                    finding.location.map { .string($0) } ?? .null)
            }
            output.list(listing, asJSON: true)
        } else {
            for finding in findings { output.problems("\(finding.severity): \(finding.text)") }
        }
        return findings.contains { $0.severity == "error" } ? .problems : .success
    }

    private func findings(_ environments: [String]) -> [Finding] {
        var plan = sources.plan(environments)
        // Other commands than the listing have no use for the notes on files that needn't exist.
        plan.requiresBase = environments.isEmpty
        let report = ApplicationConfig.loadReport(plan)
        func finding(_ severity: String, _ error: ConfigError) -> Finding {
            Finding(
                severity: severity, text: "\(error)", key: error.key?.description,
                location: error.location?.description)
        }
        var findings = report.errors.map { finding("error", $0) }
        findings += report.config.flagProblems().map { finding($0.code == .unknownKey ? "warning" : "error", $0) }
        findings += report.config.diagnostics.filter { $0.code != .missingSource }.map { diagnostic in
            Finding(
                severity: "note", text: "\(diagnostic)", key: diagnostic.key?.description,
                location: diagnostic.location?.description)
        }
        return findings
    }
}
