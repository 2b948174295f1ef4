/// A navigation: its target, its options and the redirects that led there.
///
/// The action of a route and the watchers of the route's topic and of ``Router/navigated`` receive it.
public struct Navigation: Sendable, CustomStringConvertible {
    /// The match of the URL with the route's pattern.
    public let match: RouteMatch
    /// The options passed to ``Router/navigate(to:options:)``.
    public let options: (any Sendable)?
    /// The redirected URLs, in order, the requested one first; empty without redirects.
    public let trail: [String]

    /// The URL of the navigation, after all redirects.
    public var url: String { match.url }
    /// The values captured from the URL.
    public var parameters: RouteParameters { match.parameters }
    /// The query of the URL.
    public var query: RouteQuery { match.query }

    /// Returns the options if they have this type.
    public func options<Options>(as type: Options.Type = Options.self) -> Options? { options as? Options }

    /// The trail and the URL, separated by arrows.
    public var description: String { (trail + [url]).joined(separator: " -> ") }
}

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

extension EventBusError.Code {
    /// A guard denied a navigation; `underlying` is the guard's reason if it is an error.
    public static let navigationDenied = Self("navigationDenied")
    /// Redirects return to a URL in their own trail.
    package static let redirectLoop = Self("redirectLoop")
    /// More than 16 redirects or nested navigations.
    package static let tooManyRedirects = Self("tooManyRedirects")
}
