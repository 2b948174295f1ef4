import AshlarAppConfig

/// An XML property list around the entries of its root dictionary; the entries begin on line 4.
func plist(_ entries: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0">
    <dict>
    \(entries)
    </dict>
    </plist>
    """
}

/// A plan for files in memory, by default in the environment of a release build.
func plan(
    _ files: [String: String], environments: [ConfigEnvironment] = [], bundle: String? = nil
) -> ConfigPlan {
    ConfigPlan(files: .memory(files), environments: environments, bundleIdentifier: bundle)
}

/// The error of loading a base file of these contents.
func loadError(_ text: String, _ adjust: (inout ConfigPlan) -> Void = { _ in }) -> ConfigError? {
    var plan = plan(["ApplicationConfig.plist": text])
    adjust(&plan)
    return ApplicationConfig.loadReport(plan).errors.first
}
