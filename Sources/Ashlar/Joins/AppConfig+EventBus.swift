public import AshlarAppConfig
public import AshlarEventBus

extension ConfigStore {
    /// The topic `config:changed`, triggered with the new configuration after each reload or update that changes it.
    public static let changed: Topic<ApplicationConfig> = Topic("config:changed")

    /// Triggers ``changed`` on a bus after each later change.
    ///
    /// - Returns: The task that announces changes until it is cancelled.
    func announce(on bus: EventBus) -> Task<Void, Never> {
        let start = current
        return Task {
            var last = start
            for await config in changes() where config != last {
                bus.trigger(Self.changed, config)
                last = config
            }
        }
    }
}
