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
}
