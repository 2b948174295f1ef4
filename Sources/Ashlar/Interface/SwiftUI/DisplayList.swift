#if canImport(SwiftUI)
    public import SwiftUI

    /// A list of sections; a row with an input asks for its text in an alert.
    public struct DisplayList: View {
        private let sections: [DisplaySection]
        private let didSelect: @MainActor () -> Void
        @State private var asking: DisplayItem?
        @State private var text = ""
        @State private var problem: String?

        /// Creates a list.
        ///
        /// - Parameters:
        ///   - sections: The sections.
        ///   - didSelect: Runs after the action of a row.
        public init(_ sections: [DisplaySection], didSelect: @escaping @MainActor () -> Void = {}) {
            (self.sections, self.didSelect) = (sections, didSelect)
        }

        /// The list.
        public var body: some View {
            List {
                ForEach(sections) { section in
                    Section(section.title) { ForEach(section.items) { row($0) } }
                }
            }
            .alert(asking?.title ?? "", isPresented: isPresent($asking)) {
                TextField(asking?.input?.prompt ?? "", text: $text)
                Button("OK") { if let asking { perform(asking, text) } }
                Button("Cancel", role: .cancel) {}
            }
            .alert(problem ?? "", isPresented: isPresent($problem)) { Button("OK") {} }
        }

        @ViewBuilder private func row(_ item: DisplayItem) -> some View {
            if item.select != nil {
                Button {
                    if let input = item.input {
                        (text, asking) = (input.text, item)
                    } else {
                        perform(item, nil)
                    }
                } label: {
                    label(item)
                }
            } else {
                label(item)
            }
        }

        private func label(_ item: DisplayItem) -> some View {
            HStack {
                VStack(alignment: .leading) {
                    Text(verbatim: item.title)
                    if let subtitle = item.subtitle { Text(verbatim: subtitle).font(.caption) }
                }
                Spacer()
                if item.isSelected { Image(systemName: "checkmark") }
            }
        }

        private func perform(_ item: DisplayItem, _ text: String?) {
            do {
                try item.select?(text)
            } catch {
                problem = "\(error)"
            }
            didSelect()
        }
    }

    /// The environments of an app's hosts, with a tick at the selected one; selecting a row selects its environment.
    ///
    /// The app is the one of the view's environment; see `View.ashlar(_:)`.
    public struct HostPicker: View {
        @Environment(\.ashlar) private var app

        /// Creates a picker.
        public init() {}

        /// The list.
        public var body: some View {
            // Reading the hosts updates the list after a selection.
            DisplayList(app.map { app in app.hosts.map.configurations.isEmpty ? [] : app.app.hosts.sections } ?? [])
        }
    }

    /// The state of an app for the people who develop and test it; see ``DebugReport``.
    public struct DebugPanel: View {
        private let report: DebugReport
        @State private var sections: [DisplaySection] = []

        /// Creates a panel.
        public init(_ report: DebugReport) { self.report = report }

        /// The list, with a button that reads the state again.
        public var body: some View {
            VStack {
                Button("Refresh") { sections = report.sections }
                DisplayList(sections) { sections = report.sections }
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
