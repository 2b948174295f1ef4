/// A source of a plan, with its place among the layers.
public struct ConfigSourceLayer: Sendable {
    /// The source.
    public let source: any ConfigSource
    /// The source is stronger than the layers of this kind and weaker than those of the next kind.
    public let over: ConfigLayerKind
    /// Whether missing content is an error.
    public let isRequired: Bool
}
