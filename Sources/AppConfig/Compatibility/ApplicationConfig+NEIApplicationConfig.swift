// The original's spellings.
extension ApplicationConfig {
    /// Returns the configuration with root keys replaced, like `merging` with the policy `seed`.
    public func with(dictionary values: [String: ConfigValue]) -> ApplicationConfig { merging(values, policy: .seed) }

    /// Returns the configuration seen from a scope such as `"beta::servers"`, like `scoped(to:)`.
    public func with(scope: String?) -> ApplicationConfig { scope.map { scoped(to: ConfigPath($0)) } ?? self }
}
