#if canImport(UIKit) && !os(watchOS)
    public import AshlarNetworking
    public import UIKit

    /// Shows sections in a table, and performs the action of a selected row.
    final class TableDataSource: NSObject, UITableViewDataSource, UITableViewDelegate {
        /// The sections; reload the table after a change.
        var sections: [ListSection]
        /// Asks for the text of a row with a prompt; if nil, the action receives the text that the row starts with.
        var ask: ((_ row: ListRow, _ answer: @escaping @MainActor (String) -> Void) -> Void)?
        /// Runs after the action of a row.
        var didSelect: (() -> Void)?

        init(_ sections: [ListSection] = []) { self.sections = sections }

        /// The row at a place of the table, or nil.
        private func row(at place: IndexPath) -> ListRow? {
            guard sections.indices.contains(place.section) else { return nil }
            let rows = sections[place.section].rows
            return rows.indices.contains(place.row) ? rows[place.row] : nil
        }

        func numberOfSections(in tableView: UITableView) -> Int { sections.count }

        func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
            sections.indices.contains(section) ? sections[section].rows.count : 0
        }

        func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? {
            sections.indices.contains(section) ? sections[section].title : nil
        }

        /// A cell with title, subtitle and tick.
        func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
            let row = row(at: indexPath)
            let identifier = "ListRow"
            let cell =
                tableView.dequeueReusableCell(withIdentifier: identifier)
                ?? UITableViewCell(style: .subtitle, reuseIdentifier: identifier)
            show(row?.title, in: cell.textLabel, .body)
            show(row?.subtitle, in: cell.detailTextLabel, .caption1)
            cell.accessibilityLabel = row?.spokenText
            cell.accessibilityTraits = row?.select == nil ? .staticText : .button
            if row?.isTicked == true { cell.accessibilityTraits.insert(.selected) }
            cell.accessoryType = row?.isTicked == true ? .checkmark : .none
            cell.selectionStyle = row?.select == nil ? .none : .default
            return cell
        }

        /// Shows a text in the user's text size.
        private func show(_ text: String?, in label: UILabel?, _ style: UIFont.TextStyle) {
            label?.text = text
            label?.font = .preferredFont(forTextStyle: style)
            label?.adjustsFontForContentSizeCategory = true
            label?.numberOfLines = 0
        }

        /// Performs the action of a row.
        func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
            tableView.deselectRow(at: indexPath, animated: true)
            guard let row = row(at: indexPath), row.select != nil else { return }
            guard row.prompt != nil, let ask else { return perform(row, row.text) }
            ask(row) { [weak self] text in self?.perform(row, text) }
        }

        private func perform(_ row: ListRow, _ text: String) {
            row.select?(text)
            didSelect?()
        }
    }

    /// A table of sections that can change, with alerts for inputs and errors.
    open class SectionsController: UITableViewController {
        private let source = TableDataSource()
        private let read: @MainActor () -> [ListSection]
        /// The title, in the language of the app; nil for the title that the controller's owner sets.
        var heading: InterfaceText?

        /// Creates a controller.
        ///
        /// - Parameter sections: Returns the sections.
        public init(sections: @escaping @MainActor () -> [ListSection]) {
            read = sections
            super.init(style: .grouped)
        }

        /// Returns the sections; called when the view appears and after each selection.
        open func sections() -> [ListSection] { read() }

        /// Not available: the sections are code.
        public required init?(coder: NSCoder) { nil }

        /// Connects the table.
        open override func viewDidLoad() {
            super.viewDidLoad()
            tableView.dataSource = source
            tableView.delegate = source
            source.didSelect = { [weak self] in self?.reload() }
            source.ask = { [weak self] row, answer in self?.ask(row, answer) }
        }

        /// Reads the sections.
        open override func viewWillAppear(_ animated: Bool) {
            super.viewWillAppear(animated)
            if let heading { title = text(heading) }
            reload()
        }

        /// Reads the sections and shows them.
        public func reload() {
            source.sections = sections()
            tableView.reloadData()
        }

        /// Returns a text in the language of the app.
        func text(_ text: InterfaceText) -> String { text.text(traitCollection.ashlar?.strings) }

        private func ask(_ row: ListRow, _ answer: @escaping @MainActor (String) -> Void) {
            let alert = UIAlertController(title: row.title, message: nil, preferredStyle: .alert)
            alert.addTextField { field in
                field.placeholder = row.prompt
                field.text = row.text
            }
            alert.addAction(UIAlertAction(title: text(.cancel), style: .cancel, handler: nil))
            alert.addAction(
                UIAlertAction(title: text(.ok), style: .default) { [weak alert] _ in
                    answer(alert?.textFields?.first?.text ?? "")
                }
            )
            present(alert, animated: true, completion: nil)
        }

        /// Shows a text in an alert.
        func show(_ problem: String) {
            let alert = UIAlertController(title: nil, message: problem, preferredStyle: .alert)
            alert.addAction(UIAlertAction(title: text(.ok), style: .default, handler: nil))
            present(alert, animated: true, completion: nil)
        }
    }

    extension HostSwitch {
        /// A controller that shows the environments of all hosts and selects them, as SquidKit's
        /// `HostConfigurationTableViewController`.
        @MainActor public func makePicker() -> SectionsController {
            weak var shown: SectionsController?
            let picker = SectionsController {
                self.listSections { [weak shown] error in Task { @MainActor in shown?.show("\(error)") } }
            }
            shown = picker
            picker.heading = .hosts
            return picker
        }
    }

#endif
