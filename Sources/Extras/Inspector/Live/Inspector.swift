public import Ashlar
internal import AshlarCore
public import AshlarTesting
internal import Foundation

/// Shows a running app in a browser, and changes it: log, requests, configuration, strings, hosts, routes, services, events.
///
/// The program serves one page on 127.0.0.1. Only a browser that opens the URL with the one-time token can use it:
///
/// ```swift
/// import Ashlar
/// import AshlarInspector
///
/// func inspect(_ app: AshlarApp) async throws {
///     try await Inspector(app).start()  // Inspector: http://127.0.0.1:40123/?token=…
/// }
/// ```
///
/// The inspector runs until ``stop()``, or until the app is released. Memory is limited: the newest 5,000 lines, 1,000
/// starts and ends of requests and 1,000 events. Secrets are hidden, as in the log and the debug report. An inspector is
/// thread-safe.
public final class Inspector: Sendable {
    private enum State: Sendable {
        case idle
        case running(InspectorSession)
    }

    private let app: Weak<AshlarApp>
    private let title: String
    private let recorder: ExchangeRecorder?
    private let wantedPort: Int
    private let allowsReleaseBuilds: Bool
    private let state = Mutex(State.idle)

    /// Creates an inspector, which doesn't run yet and doesn't retain the app.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - title: The heading of the page; nil for the name of the program.
    ///   - recorder: A middleware of the app's client, whose exchanges are shown with their bodies; nil to show the fields
    ///     of requests only.
    ///   - port: The port; the system chooses one for 0.
    ///   - allowsReleaseBuilds: Whether ``start(announce:)`` works in a program that was compiled without `DEBUG`.
    public init(
        _ app: AshlarApp, title: String? = nil, recorder: ExchangeRecorder? = nil, port: Int = 0,
        allowsReleaseBuilds: Bool = false
    ) {
        self.app = Weak(app)
        self.title = title ?? ProcessInfo.processInfo.processName
        self.recorder = recorder
        wantedPort = port
        self.allowsReleaseBuilds = allowsReleaseBuilds
    }

    /// The port of the server; nil if the inspector isn't running.
    public var port: Int? { session?.port }

    private var session: InspectorSession? {
        state.withLock { if case .running(let session) = $0 { session } else { nil } }
    }

    /// Starts the server and announces a URL with a one-time token; a running inspector announces another URL.
    ///
    /// The app retains the inspector until it is stopped. Reads the lines that this run has already logged.
    ///
    /// - Parameter announce: Receives the URL; by default it is printed to the standard error stream, but not logged.
    /// - Returns: This inspector.
    /// - Throws: ``InspectorError`` with the code `releaseBuild`, `portUnavailable` or `appReleased`.
    /// - Complexity: O(*n*) in the size of this run's log.
    @discardableResult
    public nonisolated(nonsending) func start(
        announce: ((_ url: String) -> Void)? = nil
    ) async throws(InspectorError) -> Inspector {
        #if !DEBUG
            guard allowsReleaseBuilds else {
                throw InspectorError(.releaseBuild, "the inspector is for debug builds; see allowsReleaseBuilds")
            }
        #endif
        guard let app = app.object else { throw InspectorError(.appReleased, "the app was released") }
        let session = try await begin(app)
        let url = session.makeURL()
        if let announce { announce(url) } else { FileHandle.standardError.write(Data("Inspector: \(url)\n".utf8)) }
        return self
    }

    private nonisolated(nonsending) func begin(_ app: AshlarApp) async throws(InspectorError) -> InspectorSession {
        if let session { return session }
        let new = try InspectorSession(app, title: title, recorder: recorder, port: wantedPort)
        let session = state.withLock { state in
            if case .running(let other) = state { return other }
            state = .running(new)
            return new
        }
        if session !== new { await new.stop() }
        app.reports.withLock { reports in
            reports[Self.reportTitle(session)] = { [("http://127.0.0.1:\(self.port ?? 0)", nil)] }
        }
        return session
    }

    /// The title of the section in the app's debug report, through which the app retains the inspector.
    private static func reportTitle(_ session: InspectorSession) -> String { "Inspector on port \(session.port)" }

    /// Returns another URL with a one-time token; the token of an earlier URL that wasn't opened becomes invalid.
    ///
    /// - Returns: The URL; nil if the inspector isn't running.
    public func makeURL() -> String? { session?.makeURL() }

    /// Ends all connections and the server.
    public func stop() async {
        let session = state.withLock { state in
            defer { state = .idle }
            return if case .running(let session) = state { session } else { nil as InspectorSession? }
        }
        guard let session else { return }
        let report = app.object?.reports.withLock { $0.removeValue(forKey: Self.reportTitle(session)) }
        _ = consume report
        await session.stop()
    }
}
