import AshlarCore
public import AshlarEventBus
import AshlarLogging

/// A URL that an app could not open: the payload of ``AshlarApp/openFailed``.
public struct OpenFailure: Error, Sendable, CustomStringConvertible {
    /// The URL.
    public let url: String
    /// The pattern of the route that matches, or nil if the URL has no route.
    public let route: String?
    /// The reason: the router's error, or the error that a guard or the route's action threw.
    public let underlying: any Error

    /// The URL without its secrets, the route and the reason.
    public var description: String {
        SecretText.redacted("can't open \(url)\(route.map { " (route \($0))" } ?? ""): \(underlying)")
    }
}

extension AshlarApp {
    /// The topic `app:openFailed`, triggered when ``open(_:)`` can't open a URL.
    public static let openFailed: Topic<OpenFailure> = Topic("app:openFailed")

    /// Opens a URL that the system passes to the app: navigates to its route.
    ///
    /// A URL with one of the app's schemes, or to one of its link hosts, is opened by its path; see ``AppLinks``. A path
    /// such as `/city/oslo`, and a URL that a route's pattern matches with its scheme, are opened as they are. Any other URL
    /// is refused.
    ///
    /// The log lines, events and requests of the navigation have one correlation ID: that of the current `EventMetadata`,
    /// or that of a new trace.
    ///
    /// - Returns: The navigation. Nil if the URL is refused, no route matches, a guard rejects the navigation, or its
    ///   action throws, for example because a parameter can't be converted; the reason is logged as a warning with the
    ///   context `routes` and triggers ``openFailed``. Nil also if a newer navigation replaces this one, which isn't a
    ///   failure.
    @discardableResult
    public func open(_ url: String) async -> Navigation? {
        guard EventMetadata.current == nil else { return await navigation(to: url) }
        let trace = TraceParent()
        return await EventMetadata(correlationID: trace.traceID, traceParent: trace.description).whileCurrent {
            await navigation(to: url)
        }
    }

    private func navigation(to url: String) async -> Navigation? {
        var path = url
        do {
            if !router.contains(url) { path = try links.adding(config.current, shipped: shipped).path(of: url) }
            return try await router.navigate(to: path)
        } catch is CancellationError {
            return nil
        } catch {
            let failure = OpenFailure(url: url, route: try? router.match(path).pattern.description, underlying: error)
            Log("routes").warning("\(failure.description)")
            bus.trigger(Self.openFailed, failure)
            return nil
        }
    }
}
