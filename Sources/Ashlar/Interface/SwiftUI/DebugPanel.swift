#if canImport(SwiftUI)
    public import SwiftUI
    import UniformTypeIdentifiers

    /// The state of an app for the people who develop and test it, and its log; see ``DebugReport``.
    public struct DebugPanel: View {
        private let report: DebugReport
        @Environment(\.ashlar) private var app
        @State private var sections: [ListSection] = []

        /// Creates a panel.
        public init(_ report: DebugReport) { self.report = report }

        /// The list, with buttons that read the state again and show the log.
        public var body: some View {
            NavigationStack {
                TableList(sections) { sections = report.sections }
                    .navigationTitle(InterfaceText.debug.text(app?.strings))
                    .toolbar {
                        ToolbarItemGroup {
                            Button(InterfaceText.refresh.text(app?.strings)) { sections = report.sections }
                            NavigationLink(InterfaceText.log.text(app?.strings)) { LogViewer(report) }
                        }
                    }
            }
            .task { sections = report.sections }
        }
    }

    /// The end of an app's log, to search, copy and share; see ``LogExcerpt``.
    ///
    /// What is shared is the file of ``AshlarApp/exportLog(in:runs:bytes:)``.
    struct LogViewer: View {
        private let report: DebugReport
        @Environment(\.ashlar) private var app
        @State private var log = LogExcerpt("")
        @State private var search = ""

        init(_ report: DebugReport) { self.report = report }

        var body: some View {
            let shown = log.matching(search)
            let title = InterfaceText.log.text(app?.strings)
            List(shown.rows) { Text(verbatim: $0.title).font(.caption) }
                .searchable(text: $search, prompt: InterfaceText.search.text(app?.strings))
                .navigationTitle(title)
                .toolbar {
                    ToolbarItemGroup {
                        Button(InterfaceText.refresh.text(app?.strings)) { Task { log = await Self.read(report) } }
                        #if !os(tvOS) && !os(watchOS)
                            Button(InterfaceText.copy.text(app?.strings)) { copy(shown.text) }
                        #endif
                        #if !os(tvOS)
                            ShareLink(item: SharedLog(report: report), preview: SharePreview(title)) {
                                Text(verbatim: InterfaceText.share.text(app?.strings))
                            }
                        #endif
                    }
                }
                .task { log = await Self.read(report) }
        }

        /// Reads off the main actor.
        private nonisolated static func read(_ report: DebugReport) async -> LogExcerpt { report.log() }
    }

    #if !os(tvOS) && !os(watchOS)
        @MainActor private func copy(_ text: String) {
            #if os(macOS)
                NSPasteboard.general.clearContents()
                NSPasteboard.general.setString(text, forType: .string)
            #else
                UIPasteboard.general.string = text
            #endif
        }
    #endif

    #if !os(tvOS)
        /// The file with the log, which is written when the user shares it.
        private struct SharedLog: Transferable {
            let report: DebugReport

            static var transferRepresentation: some TransferRepresentation {
                FileRepresentation(exportedContentType: .plainText) { (log: SharedLog) in
                    SentTransferredFile(try log.report.app.exportLog())
                }
            }
        }
    #endif
#endif
