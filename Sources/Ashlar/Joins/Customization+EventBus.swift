public import AshlarCustomization
public import AshlarEventBus

extension CustomizationCenter {
    /// The topic `customization:changed`, triggered with the new customization after the language, brand, theme or a file
    /// has changed.
    public static let changed: Topic<Customization> = Topic("customization:changed")

    /// Triggers ``changed`` on a bus after each later change.
    ///
    /// - Returns: The task that announces changes until it is cancelled.
    func announce(on bus: EventBus) -> Task<Void, Never> {
        // The stream begins with the current customization.
        let start = current
        let changes = changes()
        return Task {
            var last = start
            for await customization in changes where !customization.isIdentical(to: last) {
                last = customization
                bus.trigger(Self.changed, customization)
            }
        }
    }
}
