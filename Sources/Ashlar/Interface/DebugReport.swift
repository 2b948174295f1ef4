import AshlarAppConfig
internal import AshlarCore
import AshlarCustomization
import AshlarEventBus
import AshlarLogging
import AshlarNetworking

/// The state of an app as sections of a list, for the people who develop and test it.
///
/// The sections are the issues of the start, the hosts, the latest requests and events, the configuration with the place of
/// each value, the customization, and the end of the log. Secrets are hidden. Selecting a host selects it in the app. The titles
/// are in the language of the app's strings; the identities of the sections are the English titles.
///
/// ```swift
/// let report = DebugReport(AshlarApp(AshlarApp.Configuration(resources: "Resources", log: nil)))
/// for section in report.sections {
///     print(section.title ?? "")
///     for row in section.rows { print("  \(row.title)  \(row.subtitle ?? "")") }
/// }
/// ```
public final class DebugReport: Sendable {
    let app: AshlarApp
    private let limit: Int
    private let latest = Mutex((requests: [ListRow](), events: [ListRow](), count: 0))
    private let watches = WatchBag()

    /// Observes the requests and events of an app until the object is released.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - limit: The number of requests, events and log lines that the report contains at most.
    public init(_ app: AshlarApp, limit: Int = 50) {
        self.app = app
        self.limit = max(0, limit)
        app.bus.watch(NetworkEvent.off) { [weak self] signal in
            let activity = signal.payload
            let result = activity.error.map { $0.userMessage } ?? "\(activity.status ?? 0)"
            self?.add("\(activity.request.method.rawValue) \(activity.request.url)", result, to: \.requests)
        }.store(in: watches)
        app.bus.watch("**") { [weak self] signal in
            // The payload isn't printed, because it may contain secrets.
            self?.add(signal.name, "#\(signal.sequence), \(type(of: signal.payload))", to: \.events)
        }.store(in: watches)
    }

    /// Returns the end of the log for a viewer; for the file that a user can send, see ``AshlarApp/exportLog(in:runs:bytes:)``.
    ///
    /// - Complexity: O(*n*) in the number of bytes, which are read from the end of the log's file.
    func log(bytes: Int = 1 << 18) -> LogExcerpt {
        LogSystem.flush()
        return LogExcerpt(LogSystem.liveTail(bytes: bytes))
    }

    /// The sections at this moment; those without rows are left out.
    public var sections: [ListSection] {
        let latest = latest.withLock { $0 }
        let config = app.config.current
        let strings = app.customization.current
        // The end of the log is enough for this many lines of usual length.
        let log = LogExcerpt(LogSystem.liveTail(bytes: min(limit, 1 << 20) * 512)).rows.suffix(limit)
        func section(_ title: InterfaceText, _ rows: [ListRow]) -> ListSection {
            ListSection(title.text(strings), id: title.text(), rows: rows)
        }
        let sections =
            [
                section(.issues, rows(app.issues.map { ($0.message, $0.part.rawValue) })),
                section(
                    .app,
                    rows([
                        ("resources", app.explain("resources")), ("flavor", app.explain("flavor")),
                        ("log", app.explain("log")),
                    ])),
            ] + app.hosts.listSections() + [
                section(.requests, latest.requests.reversed()),
                section(.events, latest.events.reversed()),
                section(
                    .configuration,
                    rows(
                        config.paths().map { path in
                            let value = config.explain(path)
                            return ("\(path): \(value.text ?? "")", value.winner.map { "\($0.location)" })
                        })),
                section(
                    .customization,
                    rows(
                        [
                            ("language", "\(strings.overrideLanguage ?? strings.deviceLanguage)"),
                            ("brand", strings.brand ?? "none"), ("theme", strings.theme ?? "none"),
                            ("strings", "\(strings.keys().count)"),
                        ] + strings.diagnostics.map { ("\($0)", nil) })),
                section(.log, Array(log)),
            ]
            + app.reports.withLock { $0 }.sorted { $0.key < $1.key }.map { title, report in
                ListSection(title, id: title, rows: rows(report()))
            }
        return sections.filter { !$0.rows.isEmpty }
    }

    /// Rows with a subtitle each; their identity is their place.
    private func rows(_ texts: [(title: String, subtitle: String?)]) -> [ListRow] {
        texts.enumerated().map { ListRow($1.title, id: "\($0)", subtitle: $1.subtitle) }
    }

    private func add(
        _ title: String, _ subtitle: String,
        to list: WritableKeyPath<(requests: [ListRow], events: [ListRow], count: Int), [ListRow]>
    ) {
        // What is dropped is released outside the lock.
        _ = latest.withLock { latest -> ListRow? in
            latest.count += 1
            latest[keyPath: list].append(ListRow(title, id: "\(latest.count)", subtitle: subtitle))
            return latest[keyPath: list].count > limit ? latest[keyPath: list].removeFirst() : nil
        }
    }
}
