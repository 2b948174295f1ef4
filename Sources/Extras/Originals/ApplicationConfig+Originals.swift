public import AshlarAppConfig

// Names from NEIApplicationConfig.
extension ApplicationConfig {
    /// Returns the configuration with root keys replaced; the same as `merging` with the policy `seed`.
    public func with(dictionary values: [String: ConfigValue]) -> ApplicationConfig { merging(values, policy: .seed) }

    /// Returns the configuration of a scope such as `"beta::servers"`; the same as `scoped(to:)`.
    public func with(scope: String?) -> ApplicationConfig { scope.map { scoped(to: ConfigPath($0)) } ?? self }
}
