/// A reference that doesn't retain its object.
///
/// A reader of ``object`` can become its last owner, whose release runs the deinitializers of the object and of its
/// closures. Under a lock that they acquire, compare ``id`` instead, or keep the object until the lock is released.
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
