/// Runs a closure when its last reference goes, so that a test sees where the subject releases what it holds.
public final class OnRelease: Sendable {
    private let action: @Sendable () -> Void

    /// Creates an object that runs `action` in its deinitializer.
    public init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    deinit { action() }
}
