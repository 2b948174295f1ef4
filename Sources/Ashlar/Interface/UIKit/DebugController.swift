#if canImport(UIKit) && !os(watchOS)
    import UIKit

    extension DebugReport {
        /// A controller that shows the report, with a button for the log when it is in a navigation controller.
        @MainActor public func makeController() -> SectionsController { DebugController(self) }
    }

    /// Shows a report.
    private final class DebugController: SectionsController {
        private let report: DebugReport

        init(_ report: DebugReport) {
            self.report = report
            super.init { report.sections }
            heading = .debug
        }

        required init?(coder: NSCoder) { nil }

        override func viewDidLoad() {
            super.viewDidLoad()
            navigationItem.rightBarButtonItem = UIBarButtonItem(
                title: text(.log), primaryAction: UIAction { [weak self] _ in self?.showLog() })
        }

        private func showLog() {
            navigationController?.pushViewController(LogController(report), animated: true)
        }
    }

    /// Shows the end of the log, with a search field and buttons to copy and share it.
    private final class LogController: SectionsController, UISearchResultsUpdating {
        private let report: DebugReport
        private var log = LogExcerpt("")
        private var shown = LogExcerpt("")

        init(_ report: DebugReport) {
            self.report = report
            super.init { [] }
            heading = .log
        }

        required init?(coder: NSCoder) { nil }

        override func sections() -> [ListSection] { [ListSection(rows: shown.rows)] }

        override func viewDidLoad() {
            super.viewDidLoad()
            let search = UISearchController(searchResultsController: nil)
            search.searchResultsUpdater = self
            search.obscuresBackgroundDuringPresentation = false
            search.searchBar.placeholder = text(.search)
            #if !os(tvOS)
                navigationItem.searchController = search
                let copy = UIAction { [weak self] _ in UIPasteboard.general.string = self?.shown.text }
                let share = UIAction { [weak self] _ in self?.share() }
                navigationItem.rightBarButtonItems = [
                    UIBarButtonItem(title: text(.share), primaryAction: share),
                    UIBarButtonItem(title: text(.copy), primaryAction: copy),
                ]
            #endif
        }

        override func viewWillAppear(_ animated: Bool) {
            super.viewWillAppear(animated)
            Task { [weak self, report] in
                let log = await Self.read(report)
                self?.show(log)
            }
        }

        private func show(_ log: LogExcerpt) {
            self.log = log
            shown = log.matching(navigationItem.searchController?.searchBar.text ?? "")
            reload()
        }

        func updateSearchResults(for searchController: UISearchController) { show(log) }

        /// Reads off the main actor.
        private nonisolated static func read(_ report: DebugReport) async -> LogExcerpt { report.log() }

        #if !os(tvOS)
            private func share() {
                Task { [weak self, report] in
                    do {
                        let file = try await Self.export(report)
                        let sheet = UIActivityViewController(activityItems: [file], applicationActivities: nil)
                        sheet.popoverPresentationController?.barButtonItem =
                            self?.navigationItem.rightBarButtonItems?.first
                        self?.present(sheet, animated: true, completion: nil)
                    } catch {
                        self?.show("\(error)")
                    }
                }
            }

            private nonisolated static func export(_ report: DebugReport) async throws -> URL {
                try report.app.exportLog()
            }
        #endif
    }
#endif
