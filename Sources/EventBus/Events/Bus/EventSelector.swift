/// The events that a watch receives: those of one topic, or of every topic whose name matches a pattern.
///
/// Every ``EventSelector`` creates its own selection.
public struct EventSelection<Payload: Sendable>: Sendable {
    // The layout is the same for every payload, so that unspecialized code copies it without looking up its type.
    let core: TopicCore?
    /// The pattern; nil for a topic.
    let pattern: TopicPattern?

    /// The name of the topic, or the pattern.
    var text: String { core?.name ?? pattern?.description ?? "**" }

    /// Selects the events of a topic.
    init(_ topic: Topic<Payload>) { (core, pattern) = (topic.core, nil) }

    /// Selects the events of the topics that a pattern matches.
    init(_ pattern: TopicPattern) where Payload == any Sendable { (core, self.pattern) = (nil, pattern) }
}

/// A value that selects events: a ``Topic``, a ``TopicPattern``, or a pattern as text.
///
/// ```swift
/// let bus = EventBus()
/// bus.watch(Topic<Int>("note:selected")) { print($0.payload) }.cancel()
/// bus.watch("note:*") { print($0.name, $0.payload) }.cancel()
/// ```
public protocol EventSelector<Payload> {
    /// The payload of the selected events: `any Sendable` for a pattern.
    associatedtype Payload: Sendable
    /// The selected events.
    var selection: EventSelection<Payload> { get }
}

extension Topic: EventSelector {
    /// The events of the topic.
    public var selection: EventSelection<Payload> { EventSelection(self) }
}

extension TopicPattern: EventSelector {
    /// The events of the topics that the pattern matches.
    public var selection: EventSelection<any Sendable> { EventSelection(self) }
}

/// A string literal selects as a ``TopicPattern``; for other text, use ``TopicPattern/init(parsing:)``.
extension String: EventSelector {
    /// The events of the topics that the text matches as a pattern.
    ///
    /// - Precondition: The pattern is well-formed.
    public var selection: EventSelection<any Sendable> {
        do throws(EventBusError) { return EventSelection(try TopicPattern(parsing: self)) } catch {
            preconditionFailure(error.description)
        }
    }
}
