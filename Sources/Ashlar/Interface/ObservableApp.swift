public import AshlarAppConfig
public import AshlarCustomization
public import AshlarNetworking
public import Observation

/// The snapshots of an app for views.
///
/// A SwiftUI view that reads a snapshot in its body is updated when the snapshot changes. `withObservationTracking` does
/// the same elsewhere. Any thread may read; a change is announced on the thread of a background task, after the snapshot
/// has changed.
///
/// ```swift
/// import Observation
///
/// func title(_ app: AshlarApp) -> String {
///     let observed = ObservableApp(app)
///     return withObservationTracking {
///         observed.strings.string("app.title")
///     } onChange: {
///         print("the title may have changed")
///     }
/// }
/// ```
public final class ObservableApp: Observable, Sendable {
    /// The app.
    public let app: AshlarApp

    /// Creates the snapshots of an app, which it retains.
    public init(_ app: AshlarApp) { self.app = app }

    /// The strings, values, images and themes.
    public var strings: Customization { app.values.strings }

    /// The configuration.
    public var config: ApplicationConfig { app.values.config }

    /// The hosts and their selection.
    public var hosts: HostSnapshot { app.values.hosts }
}
