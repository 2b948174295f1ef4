import AshlarCore
import AshlarRemote
import AshlarTooling

// The check of files, flags, keys and values.
extension ConfigCommand {
    private struct Finding: Hashable {
        let severity: String
        let text: String
        let key: String?
        let location: String?
    }

    /// Reports the problems of the given environments together, or of the base files and each environment alone.
    func check(_ output: ToolOutput) -> ToolStatus {
        var schema: ConfigFileSchema?
        let standard = "\(folder)/ApplicationConfig.schema.json"
        if let file = schemaFile ?? (FileStatus(standard)?.kind == .regular ? standard : nil) {
            schema = self.schema(file, output)
            if schema == nil { return .problems }
        }
        let combinations =
            environments.isEmpty ? [[]] + ConfigLint.environments(in: folder).map { [$0] } : [environments]
        var findings: [Finding] = []
        for environments in combinations {
            for finding in self.findings(environments, schema) where !findings.contains(finding) {
                findings.append(finding)
            }
        }
        if isJSON {
            let rows = findings.map { finding -> ConfigValue in
                var row: [String: ConfigValue] = ["severity": .string(finding.severity), "text": .string(finding.text)]
                row["key"] = finding.key.map { .string($0) }
                row["location"] = finding.location.map { .string($0) }
                return .dictionary(row)
            }
            document(.array(rows), output)
        } else {
            for finding in findings { output.problems("\(finding.severity): \(finding.text)") }
        }
        return findings.contains { $0.severity == "error" } ? .problems : .success
    }

    private func findings(_ environments: [String], _ schema: ConfigFileSchema?) -> [Finding] {
        var plan = plan(environments)
        // Other actions than the listing have no use for the notes on files that needn't exist.
        plan.requiresBase = environments.isEmpty
        let report = ApplicationConfig.loadReport(plan)
        func finding(_ severity: String, _ error: ConfigError) -> Finding {
            Finding(
                severity: severity, text: "\(error)", key: error.key?.description,
                location: error.location?.description)
        }
        var findings = report.errors.map { finding("error", $0) }
        findings += report.config.flagProblems().map { finding($0.code == .unknownKey ? "warning" : "error", $0) }
        findings += schema?.problems(in: report.config).map { finding("error", $0) } ?? []
        findings += report.config.diagnostics.filter { $0.code != .missingSource }.map { diagnostic in
            Finding(
                severity: "note", text: "\(diagnostic)", key: diagnostic.key?.description,
                location: diagnostic.location?.description)
        }
        return findings
    }

    /// Reads a schema; reports an error if that fails.
    func schema(_ file: String, _ output: ToolOutput) -> ConfigFileSchema? {
        do {
            return try ConfigFileSchema(try WholeFile.read(file), file: file)
        } catch {
            output.problems("error: \((error as? FileFailure).map { "\($0.path): \($0)" } ?? "\(error)")")
            return nil
        }
    }
}
