/// A source of a plan and its position among the layers.
struct ConfigSourceLayer: Sendable {
    let source: any ConfigSource
    /// The kind of layers directly below the source.
    let over: ConfigLayerKind
    /// Whether missing content is an error.
    let isRequired: Bool
}
