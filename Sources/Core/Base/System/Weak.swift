/// A reference that doesn't retain its object.
///
/// Whoever reads ``object`` can become its last owner. Under a lock that the object or its closures take, compare ``id``
/// instead, or release the object after the lock.
package struct Weak<Object: AnyObject & Sendable>: Sendable {
    /// The identity of the object, which another object can have after its release.
    package let id: ObjectIdentifier
    /// The object; nil after its release.
    package weak let object: Object?

    /// Creates a reference.
    package init(_ object: Object) {
        id = ObjectIdentifier(object)
        self.object = object
    }
}
