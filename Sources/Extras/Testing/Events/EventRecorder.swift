internal import AshlarCore
public import AshlarEventBus
internal import AshlarNetworking

/// An interceptor that writes events as lines of JSON for an ``EventRecording``.
///
/// ```swift
/// import AshlarEventBus
///
/// var catalog = EventCatalog()
/// catalog.add(Topic<Int>("note:selected"))
/// let bus = EventBus()
/// let recorder = EventRecorder(catalog) { line in print(line) }
/// let watch = bus.intercept("note:*", with: recorder)
/// bus.trigger("note:selected", 5)  // {"v":1,"n":1,"name":"note:selected","at":"…","payload":5}
/// watch.cancel()
/// await recorder.flush()
/// ```
///
/// Events are written in the order of their interception, one at a time. A thread writes its event before it delivers
/// the event, unless another thread is writing, which then writes this event, too. A payload that can't be encoded is
/// omitted. The values of keys that name secrets, such as `password` or `apiKey`, are replaced by `<redacted>`. If the
/// name of a topic names a secret, a payload that isn't an object is replaced completely.
public final class EventRecorder: EventInterceptor {
    private let catalog: EventCatalog
    private let secrets: SecretNames
    private let runner = SerialRunner()
    private let count = Mutex(0)
    private let record: @Sendable (RecordedEvent) -> Void

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - catalog: Encodes the payloads. Other payloads are encoded if their types are `Encodable`.
    ///   - additionalSecrets: More words that name secrets, in lowercase.
    ///   - write: Writes one line without its end. It is called for one event at a time, on any thread.
    public convenience init(
        _ catalog: EventCatalog = EventCatalog(), additionalSecrets: Set<String> = [],
        write: @escaping @Sendable (String) -> Void
    ) {
        self.init(catalog, additionalSecrets: additionalSecrets, record: { write($0.description) })
    }

    /// Creates a recorder that passes the events to a closure, one at a time.
    package init(
        _ catalog: EventCatalog, additionalSecrets: Set<String> = [],
        record: @escaping @Sendable (RecordedEvent) -> Void
    ) {
        self.catalog = catalog
        self.record = record
        secrets = SecretNames(additionalWords: additionalSecrets)
    }

    /// Writes an event and calls `next`.
    public func intercept(_ event: InterceptedEvent, next: @escaping Next) -> DeliveryResult {
        var payload: JSONEntity?
        var unencodedType: String?
        let content = event.request?.payload ?? event.payload
        if !(content is Void) {
            do {
                let value = try catalog.encode(content, name: event.name)
                let isSecret = !value.isObject && secrets.matches(event.name)
                payload = isSecret ? JSONEntity.placeholder : value.redacted(secrets)
            } catch {
                unencodedType = "\(type(of: content))"
            }
        }
        runner.run { [payload, unencodedType] in
            let number = self.count.withLock { count in
                count += 1
                return count
            }
            self.record(
                RecordedEvent(
                    number: number, name: event.name, metadata: event.metadata, location: event.location,
                    payload: payload, unencodedType: unencodedType))
        }
        return next(event)
    }

    /// Waits until every event that was intercepted before this call has been written.
    public func flush() async {
        let end = Completion()
        runner.run { end.complete() }
        await end.wait()
    }
}
