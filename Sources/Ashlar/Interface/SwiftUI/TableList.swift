#if canImport(SwiftUI)
    import AshlarNetworking
    public import SwiftUI

    /// A list of sections; a row with a prompt asks for its text in an alert.
    public struct TableList: View {
        private let sections: [ListSection]
        private let didSelect: @MainActor () -> Void
        @Environment(\.ashlar) private var app
        @State private var asking: ListRow?
        @State private var text = ""

        /// Creates a list.
        ///
        /// - Parameters:
        ///   - sections: The sections.
        ///   - didSelect: Runs after the action of a row.
        public init(_ sections: [ListSection], didSelect: @escaping @MainActor () -> Void = {}) {
            self.sections = sections
            self.didSelect = didSelect
        }

        /// The list.
        public var body: some View {
            List {
                ForEach(sections) { section in
                    Section(section.title ?? "") { ForEach(section.rows) { button($0) } }
                }
            }
            .alert(asking?.title ?? "", isPresented: isPresent($asking), presenting: asking) { row in
                TextField(row.prompt ?? "", text: $text)
                Button(InterfaceText.ok.text(app?.strings)) { perform(row, text) }
                Button(InterfaceText.cancel.text(app?.strings), role: .cancel) {}
            }
        }

        @ViewBuilder private func button(_ row: ListRow) -> some View {
            if row.select != nil {
                Button {
                    if row.prompt != nil {
                        text = row.text
                        asking = row
                    } else {
                        perform(row, "")
                    }
                } label: {
                    label(row)
                }
                .accessibilityAddTraits(row.isTicked ? .isSelected : [])
            } else {
                label(row).accessibilityElement(children: .combine)
                    .accessibilityAddTraits(row.isTicked ? .isSelected : [])
            }
        }

        private func label(_ row: ListRow) -> some View {
            HStack {
                VStack(alignment: .leading) {
                    Text(verbatim: row.title)
                    if let subtitle = row.subtitle { Text(verbatim: subtitle).font(.caption) }
                }
                Spacer()
                // The trait of the row says the same to a screen reader.
                if row.isTicked { Image(systemName: "checkmark").accessibilityHidden(true) }
            }
        }

        private func perform(_ row: ListRow, _ text: String) {
            row.select?(text)
            didSelect()
        }
    }

    /// The environments of an app's hosts, with a tick at the selected one; selecting a row selects its environment.
    ///
    /// The app is the one of the view's environment; see `EnvironmentValues.ashlar`.
    public struct HostPicker: View {
        @Environment(\.ashlar) private var app
        @State private var problem: String?

        /// Creates a picker.
        public init() {}

        /// The list.
        public var body: some View {
            TableList(sections)
                .alert(InterfaceText.hosts.text(app?.strings), isPresented: isPresent($problem), presenting: problem) {
                    _ in
                    Button(InterfaceText.ok.text(app?.strings)) {}
                } message: {
                    Text(verbatim: $0)
                }
        }

        private var sections: [ListSection] {
            // Reading the snapshot updates the list after a selection.
            guard let app, !app.hosts.map.configurations.isEmpty else { return [] }
            return app.app.hosts.listSections { error in Task { @MainActor in problem = "\(error)" } }
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
