package import AshlarAppConfig

/// The settings that protect an app against its network, which a document without a signature must not change.
package enum ShippedSettings {
    package static let paths: [ConfigPath] = ["network.pinnedKeys", "app.links.hosts"]
}
