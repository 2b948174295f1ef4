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

    /// Creates a navigation, for tests of actions.
    public init(match: RouteMatch, options: (any Sendable)? = nil, trail: [String] = []) {
        (self.match, self.options, self.trail) = (match, options, trail)
    }

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
