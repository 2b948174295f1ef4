/// A source of a plan and its position among the layers.
public struct ConfigSourceLayer: Sendable {
    /// The source.
    public let source: any ConfigSource
    /// The kind of layers directly below the source.
    public let over: ConfigLayerKind
    /// Whether missing content is an error.
    public let isRequired: Bool
}
