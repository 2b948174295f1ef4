/// A view that shows places: a navigation stack, a window, a terminal, or a recording for tests.
///
/// The router doesn't depend on a user interface. A route with a navigator creates a place, a value of the app's own,
/// and the navigator shows it:
///
/// ```swift
/// enum Place: Sendable { case note(id: Int) }
///
/// let router = Router(bus: EventBus())
/// let screen = RecordingNavigator<Place>()
/// _ = try router.route("/notes/:id(int)", to: screen) { navigation in
///     .note(id: try navigation.parameters.value("id"))
/// }
/// try await router.navigate(to: "/notes/5")
/// print(screen.places)  // [note(id: 5)]
/// ```
public protocol Navigator<Place>: Sendable {
    /// The places of the navigator.
    associatedtype Place: Sendable

    /// Shows a place.
    ///
    /// The router calls this once per navigation, after the guards; an error ends the navigation with that error.
    func show(_ place: Place, for navigation: Navigation) async throws
}
