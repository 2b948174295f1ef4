#if canImport(SwiftUI)
    public import AshlarNetworking
    public import SwiftUI

    /// A list of sections; a row with an input asks for its text in an alert.
    public struct TableList: View {
        private let sections: [TableSection]
        private let didSelect: @MainActor () -> Void
        @State private var asking: TableItem?
        @State private var text = ""

        /// Creates a list.
        ///
        /// - Parameters:
        ///   - sections: The sections.
        ///   - didSelect: Runs after the action of a row.
        public init(_ sections: [TableSection], didSelect: @escaping @MainActor () -> Void = {}) {
            (self.sections, self.didSelect) = (sections, didSelect)
        }

        /// The list.
        public var body: some View {
            List {
                ForEach(sections) { section in
                    Section(section.title ?? "") { ForEach(section.items) { row($0) } }
                }
            }
            .alert(asking?.title ?? "", isPresented: isPresent($asking)) {
                TextField(asking?.input?.prompt ?? "", text: $text)
                Button("OK") {
                    asking?.input?.text = text
                    if let asking { perform(asking) }
                }
                Button("Cancel", role: .cancel) {}
            }
        }

        @ViewBuilder private func row(_ item: TableItem) -> some View {
            if item.select != nil {
                Button {
                    if let input = item.input {
                        (text, asking) = (input.text, item)
                    } else {
                        perform(item)
                    }
                } label: {
                    label(item)
                }
            } else {
                label(item)
            }
        }

        private func label(_ item: TableItem) -> some View {
            HStack {
                VStack(alignment: .leading) {
                    Text(verbatim: item.title)
                    if let subtitle = item.subtitle { Text(verbatim: subtitle).font(.caption) }
                }
                Spacer()
                if item.isTicked { Image(systemName: "checkmark") }
            }
        }

        private func perform(_ item: TableItem) {
            item.select?(item)
            didSelect()
        }
    }

    /// The environments of an app's hosts, with a tick at the selected one; selecting a row selects its environment.
    ///
    /// The app is the one of the view's environment; see `View.ashlar(_:)`.
    public struct HostPicker: View {
        @Environment(\.ashlar) private var app
        @State private var problem: String?

        /// Creates a picker.
        public init() {}

        /// The list.
        public var body: some View {
            TableList(sections)
                .alert(problem ?? "", isPresented: isPresent($problem)) { Button("OK") {} }
        }

        private var sections: [TableSection] {
            // Reading the snapshot updates the list after a selection.
            guard let app, !app.hosts.map.configurations.isEmpty else { return [] }
            return app.app.hosts.tableSections { error in Task { @MainActor in problem = "\(error)" } }
        }
    }

    /// The state of an app for the people who develop and test it; see ``DebugReport``.
    public struct DebugPanel: View {
        private let report: DebugReport
        @State private var sections: [TableSection] = []

        /// Creates a panel.
        public init(_ report: DebugReport) { self.report = report }

        /// The list, with a button that reads the state again.
        public var body: some View {
            VStack {
                Button("Refresh") { sections = report.sections }
                TableList(sections) { sections = report.sections }
            }
            .task { sections = report.sections }
        }
    }

    /// Whether there is a value; setting it to false removes the value.
    @MainActor private func isPresent<Value: Sendable>(_ value: Binding<Value?>) -> Binding<Bool> {
        Binding {
            value.wrappedValue != nil
        } set: {
            if !$0 { value.wrappedValue = nil }
        }
    }
#endif
