/// Something that can show places: a navigation stack, a window, a terminal, a recording for tests.
///
/// The router knows no user interface. A route with a navigator makes a place, a value of the app's own, and the
/// navigator shows it:
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
    /// What can be shown.
    associatedtype Place: Sendable

    /// Shows a place.
    ///
    /// The router calls this once per navigation, after the guards; an error ends the navigation with that error.
    func show(_ place: Place, for navigation: Navigation) async throws
}
