package import AshlarAppConfig
package import AshlarCustomization
package import AshlarNetworking

/// Files that another product adds to the start of an app, such as those from a server.
package protocol AppAddition: Sendable {
    /// Opens the files before the configuration is loaded.
    ///
    /// - Parameters:
    ///   - client: A client that ignores the selection of hosts, so that a wrong host map can be replaced.
    ///   - issues: The issues of the start.
    /// - Returns: The opened files, which the app retains.
    func started(client: NetworkClient, issues: inout [StartupIssue]) -> any StartedAddition
}

/// The opened files of an ``AppAddition``.
package protocol StartedAddition: Sendable {
    /// A source over the files of the app's configuration.
    var source: (any ConfigSource)? { get }

    /// Replaces the host map and the texts that the app ships; the app calls it once, before its first request.
    ///
    /// - Parameters:
    ///   - hosts: The app's host map and selections.
    ///   - texts: The app's customization.
    ///   - folder: The folder in which the app stores what the system must not purge; nil if it stores in memory.
    ///   - issues: The issues of the start.
    func use(hosts: HostSwitch, texts: CustomizationCenter, folder: String?, issues: inout [StartupIssue])
}
