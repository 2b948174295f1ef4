internal import AshlarCore

/// A navigator that records places for tests.
public final class RecordingNavigator<Place: Sendable>: Navigator {
    private let shown = Mutex<[(place: Place, navigation: Navigation)]>([])

    /// Creates a navigator without places.
    public init() {}

    /// Records a place and its navigation.
    public func show(_ place: Place, for navigation: Navigation) async throws {
        shown.withLock { $0.append((place, navigation)) }
    }

    /// The places, in the order in which they were shown.
    public var places: [Place] { shown.withLock { $0.map(\.place) } }
    /// The navigations, in the order in which their places were shown.
    public var navigations: [Navigation] { shown.withLock { $0.map(\.navigation) } }

    /// Removes all places and navigations.
    public func clear() {
        let old = shown.withLock { shown in
            defer { shown = [] }
            return shown
        }
        _ = consume old
    }
}
