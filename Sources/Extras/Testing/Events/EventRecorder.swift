internal import AshlarCore
public import AshlarEventBus

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
    private let write: @Sendable (String) -> Void

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - catalog: Encodes the payloads. Other payloads are encoded if their types are `Encodable`.
    ///   - additionalSecrets: More words that name secrets, in lowercase.
    ///   - write: Writes one line without its end. It is called for one event at a time, on any thread.
    public init(
        _ catalog: EventCatalog = EventCatalog(), additionalSecrets: Set<String> = [],
        write: @escaping @Sendable (String) -> Void
    ) {
        self.catalog = catalog
        self.write = write
        secrets = SecretNames(additionalWords: additionalSecrets)
    }

    /// Writes an event and calls `next`.
    public func intercept(_ event: InterceptedEvent, next: @escaping Next) -> DeliveryResult {
        var payload: CodedValue?
        var unencodedType: String?
        if !(event.payload is Void) {
            do {
                let value = try catalog.encode(event.payload, name: event.name)
                if case .object = value {
                    payload = value.redacted(secrets)
                } else {
                    payload = secrets.matches(event.name) ? CodedValue.placeholder : value.redacted(secrets)
                }
            } catch {
                unencodedType = "\(type(of: event.payload))"
            }
        }
        _ = runner.run { [payload, unencodedType] in
            let number = self.count.withLock { count in
                count += 1
                return count
            }
            let recorded = RecordedEvent(
                number: number, name: event.name, metadata: event.metadata, location: event.location, payload: payload,
                unencodedType: unencodedType)
            self.write(recorded.description)
        }
        return next(event)
    }

    /// Waits until every event that was intercepted before this call has been written.
    public func flush() async {
        let end = Completion()
        _ = runner.run { end.complete() }
        await end.wait()
    }
}

extension CodedValue {
    /// The value with a placeholder for the values of keys that name secrets.
    func redacted(_ secrets: SecretNames) -> CodedValue {
        switch self {
        case .array(let elements): .array(elements.map { $0.redacted(secrets) })
        case .object(let members):
            .object(
                members.map { key, value in
                    (key, secrets.matches(key) && !value.isNull ? Self.placeholder : value.redacted(secrets))
                })
        default: self
        }
    }

    static var placeholder: CodedValue { .string(SecretNames.placeholder) }
}
