/// The object from which an event comes.
@usableFromInline
struct EventSource: @unchecked Sendable {
    // Unchecked because the object is only retained and compared, and returned only as a Sendable type.
    @usableFromInline let object: AnyObject?

    @inlinable
    init(_ object: AnyObject?) { self.object = object }
}

/// An object that isn't retained, such as the owner or the source of a watch.
struct WeakObject: @unchecked Sendable {
    // Unchecked because the object is only compared, and returned only as an EventSource.
    weak let object: AnyObject?

    init(_ object: AnyObject?) { self.object = object }
}
