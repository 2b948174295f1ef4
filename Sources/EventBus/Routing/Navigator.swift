/// A view that shows places: a navigation stack, a window, a terminal, or a recording for tests.
///
/// The router doesn't depend on a user interface. A route with a navigator creates a place, which is a value of an
/// app's type, and the navigator shows it:
///
/// ```swift
/// enum Place: Sendable { case note(id: Int) }
/// struct Terminal: Navigator {
///     func show(_ place: Place, for navigation: Navigation) { print(place) }
/// }
///
/// let router = Router(bus: EventBus())
/// try router.route("/notes/:id(int)", to: Terminal()) { navigation in
///     .note(id: try navigation.parameters.value("id"))
/// }
/// try await router.navigate(to: "/notes/5")  // note(id: 5)
/// ```
public protocol Navigator<Place>: Sendable {
    /// The type of places that the navigator shows.
    associatedtype Place: Sendable

    /// Shows a place.
    ///
    /// The router calls this method once per navigation, after the guards. An error ends the navigation with that
    /// error.
    func show(_ place: Place, for navigation: Navigation) async throws
}
