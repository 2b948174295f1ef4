internal import AshlarAppConfig
internal import AshlarCore
package import AshlarCustomization
internal import AshlarRemote

extension CustomizationDiagnostic.Code {
    /// A flag of a configuration is malformed.
    static let malformedFlag: Self = "malformed-flag"
    /// A flag of a configuration has an entry that this version doesn't know.
    static let unknownFlagEntry: Self = "unknown-flag-entry"
}

/// Checks the flags in the configuration files of a folder.
package enum ConfigLint {
    /// Returns the names of the environments that have a file in a folder, sorted.
    package static func environments(in folder: String) -> [String] {
        let names = (FolderListing.names(in: folder) ?? []).compactMap { name -> String? in
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0] == "ApplicationConfig", ["plist", "json"].contains(parts[2]) else {
                return nil
            }
            return parts[1] == "schema" ? nil : String(parts[1])
        }
        return Set(names).sorted()
    }

    /// Returns the problems of the flags of the base files, alone and with each environment.
    ///
    /// Files that can't be read are omitted.
    package static func flagDiagnostics(in folder: String) -> [CustomizationDiagnostic] {
        var found: [CustomizationDiagnostic] = []
        for environment in [nil] + environments(in: folder).map(Optional.some) {
            let plan = ConfigPlan.directory(folder, environments: environment.map { [ConfigEnvironment($0)] } ?? [])
            for problem in ApplicationConfig.loadReport(plan).config.flagProblems() {
                let isUnknown = problem.code == .unknownKey
                let place = problem.location
                let diagnostic = CustomizationDiagnostic(
                    isUnknown ? .warning : .error, isUnknown ? .unknownFlagEntry : .malformedFlag, "\(problem)",
                    at: CustomizationLocation(
                        file: place?.name ?? folder, line: place?.line ?? 0, column: place?.column ?? 0),
                    key: problem.key?.description)
                if !found.contains(diagnostic) { found.append(diagnostic) }
            }
        }
        return found
    }
}
