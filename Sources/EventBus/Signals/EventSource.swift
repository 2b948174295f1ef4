/// The object that an event comes from.
@usableFromInline
struct EventSource: @unchecked Sendable {
    // Unchecked because the object is retained and compared, and handed out only as a Sendable type.
    @usableFromInline let object: AnyObject?

    @inlinable
    init(_ object: AnyObject?) { self.object = object }
}

/// An object that isn't retained, such as the owner or the source of a watch.
struct WeakObject: @unchecked Sendable {
    // Unchecked because the object is compared and handed out as an EventSource only.
    weak let object: AnyObject?

    init(_ object: AnyObject?) { self.object = object }
}
