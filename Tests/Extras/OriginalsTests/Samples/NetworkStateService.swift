import AshlarOriginals

/// A stand-in for UIKit's class, which records the indicator.
@MainActor final class UIApplication {
    static let shared = UIApplication()
    var changes: AsyncStream<Bool>.Continuation?

    func setNetworkActivityIndicatorVisible(_ isVisible: Bool) { changes?.yield(isVisible) }
}

/// The service of iStructure's documentation.
@MainActor final class NetworkStateService: ISService {
    static var singleton: NetworkStateService?
    static var netActivityCounter = 0
    static var receivedOptions: [ISValues?] = []

    nonisolated let observers = marray()

    func updateNetworkActivity() {
        UIApplication.shared.setNetworkActivityIndicatorVisible(Self.netActivityCounter > 0)
    }

    init(options: ISValues?) {
        watch("network:on") { this, notif in
            Self.netActivityCounter += 1
            this.updateNetworkActivity()
        }
        watch("network:off") { this, notif in
            Self.netActivityCounter -= 1
            this.updateNetworkActivity()
        }
    }

    static func startWithOptions(_ options: ISValues?) {
        receivedOptions.append(options)
        singleton = singleton ?? NetworkStateService(options: options)
    }

    static func stopWithOptions(_ options: ISValues?) {
        receivedOptions.append(options)
        singleton = nil
    }

    static func load() async throws {
        try await register("net_state")
    }

    deinit {
        unwatch()
    }
}
