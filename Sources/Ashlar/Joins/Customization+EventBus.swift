public import AshlarCustomization
public import AshlarEventBus

extension CustomizationCenter {
    /// The topic `customization:changed`, triggered with the new customization after the language, brand, theme or a file
    /// has changed.
    public static let changed: Topic<Customization> = Topic("customization:changed")

    /// Triggers ``changed`` on a bus after each later change.
    ///
    /// - Returns: The task that announces changes until it is cancelled.
    @discardableResult
    public func announce(on bus: EventBus) -> Task<Void, Never> {
        let changes = changes
        return Task { for await customization in changes { bus.trigger(Self.changed, customization) } }
    }
}
