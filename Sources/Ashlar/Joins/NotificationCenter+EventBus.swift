public import AshlarEventBus
public import Foundation

/// The observation of a notification center, which ends when it is cancelled or released.
public final class NotificationForwarding: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }

    /// Ends the observation; cancelling twice has no effect.
    public func cancel() { end() }
}

extension EventBus {
    /// Triggers a topic for each notification with a name, on the thread that posts it.
    ///
    /// ```swift
    /// import Foundation
    ///
    /// let bus = EventBus()
    /// let zones = Topic<String>("system:timeZone")
    /// let forwarding = bus.forward(.NSSystemTimeZoneDidChange, to: zones) { _ in TimeZone.current.identifier }
    /// forwarding.cancel()
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the notification.
    ///   - center: The notification center.
    ///   - topic: The topic.
    ///   - payload: Returns the payload for a notification; nil for a notification that is ignored.
    /// - Returns: The observation, which ends with this object. It doesn't retain the bus.
    public func forward<Payload>(
        _ name: Notification.Name, from center: NotificationCenter = .default, to topic: Topic<Payload>,
        payload: @escaping @Sendable (Notification) -> Payload?
    ) -> NotificationForwarding {
        let token = center.addObserver(forName: name, object: nil, queue: nil) { [weak self] notification in
            if let payload = payload(notification) { self?.trigger(topic, payload) }
        }
        // Safe because the token is only passed back to the center.
        nonisolated(unsafe) let observer = token
        return NotificationForwarding { center.removeObserver(observer) }
    }

    /// Posts a notification for each event of a topic, inside the trigger.
    ///
    /// - Parameters:
    ///   - topic: The topic.
    ///   - name: The name of the notifications.
    ///   - center: The notification center.
    ///   - userInfo: Returns the user information of a notification; by default, none.
    /// - Returns: The handle that ends the watch.
    public func post<Payload>(
        _ topic: Topic<Payload>, as name: Notification.Name, to center: NotificationCenter = .default,
        userInfo: @escaping @Sendable (Payload) -> [AnyHashable: Any]? = { _ in nil }
    ) -> Watch {
        watch(topic) { center.post(name: name, object: nil, userInfo: userInfo($0.payload)) }
    }
}

#if compiler(>=6.2)
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    extension EventBus {
        /// Triggers a topic for each message of a type, on the main actor.
        public func forward<Message: NotificationCenter.MainActorMessage & Sendable>(
            _ message: Message.Type, from center: NotificationCenter = .default, to topic: Topic<Message>
        ) -> NotificationForwarding where Message.Subject: AnyObject {
            let token = center.addObserver(for: message) { [weak self] message in _ = self?.trigger(topic, message) }
            return NotificationForwarding { center.removeObserver(token) }
        }

        /// Posts a message for each event of a topic, on the main actor, in the order of the triggers.
        public func post<Message: NotificationCenter.MainActorMessage & Sendable>(
            _ topic: Topic<Message>, to center: NotificationCenter = .default
        ) -> Watch where Message.Subject: AnyObject {
            watchOnMain(topic) { center.post($0.payload) }
        }
    }
#endif
