#if canImport(UIKit) && !os(watchOS)
    public import AshlarNetworking
    public import UIKit

    /// Shows sections in a table, and performs the action of a selected row.
    open class TableDataSource: NSObject, UITableViewDataSource, UITableViewDelegate {
        /// The sections; reload the table after a change.
        public var sections: [TableSection]
        /// Asks for the text of a row with an input; if nil, the action receives the text that the row starts with.
        public var ask: ((_ item: TableItem, _ answer: @escaping @MainActor (String) -> Void) -> Void)?
        /// Runs after the action of a row.
        public var didSelect: (() -> Void)?

        /// Creates a data source.
        public init(_ sections: [TableSection] = []) { self.sections = sections }

        /// The row at a place of the table, or nil.
        public func item(at place: IndexPath) -> TableItem? {
            sections.indices.contains(place.section) ? sections[place.section][place.row] : nil
        }

        /// The number of sections.
        public func numberOfSections(in tableView: UITableView) -> Int { sections.count }

        /// The number of rows in a section.
        public func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
            sections.indices.contains(section) ? sections[section].count : 0
        }

        /// The heading of a section.
        public func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? {
            sections.indices.contains(section) ? sections[section].title : nil
        }

        /// A cell with title, subtitle and tick; override to show more.
        open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
            let item = item(at: indexPath)
            let identifier = item?.reuseIdentifier ?? "TableItem"
            let cell =
                tableView.dequeueReusableCell(withIdentifier: identifier)
                ?? UITableViewCell(style: .subtitle, reuseIdentifier: identifier)
            cell.textLabel?.text = item?.title
            cell.detailTextLabel?.text = item?.subtitle
            cell.accessoryType = item?.isTicked == true ? .checkmark : .none
            cell.selectionStyle = item?.select == nil ? .none : .default
            return cell
        }

        /// The height of a row.
        public func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat {
            item(at: indexPath)?.rowHeight.map { CGFloat($0) } ?? tableView.rowHeight
        }

        /// Performs the action of a row.
        public func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {
            tableView.deselectRow(at: indexPath, animated: true)
            guard let item = item(at: indexPath), item.select != nil else { return }
            guard item.input != nil, let ask else { return perform(item) }
            ask(item) { [weak self] text in
                var item = item
                item.input?.text = text
                self?.perform(item)
            }
        }

        private func perform(_ item: TableItem) {
            item.select?(item)
            didSelect?()
        }
    }

    /// A table of sections that can change, with alerts for inputs and errors.
    open class SectionsController: UITableViewController {
        private let source = TableDataSource()
        private let read: @MainActor () -> [TableSection]

        /// Creates a controller.
        ///
        /// - Parameter sections: Returns the sections.
        public init(sections: @escaping @MainActor () -> [TableSection]) {
            read = sections
            super.init(style: .grouped)
        }

        /// Returns the sections; called when the view appears and after each selection.
        open func sections() -> [TableSection] { read() }

        /// Not available: the sections are code.
        public required init?(coder: NSCoder) { nil }

        /// Connects the table.
        open override func viewDidLoad() {
            super.viewDidLoad()
            tableView.dataSource = source
            tableView.delegate = source
            source.didSelect = { [weak self] in self?.reload() }
            source.ask = { [weak self] item, answer in self?.ask(item, answer) }
        }

        /// Reads the sections.
        open override func viewWillAppear(_ animated: Bool) {
            super.viewWillAppear(animated)
            reload()
        }

        /// Reads the sections and shows them.
        public func reload() {
            source.sections = sections()
            tableView.reloadData()
        }

        private func ask(_ item: TableItem, _ answer: @escaping @MainActor (String) -> Void) {
            let alert = UIAlertController(title: item.title, message: nil, preferredStyle: .alert)
            alert.addTextField { field in
                field.placeholder = item.input?.prompt
                field.text = item.input?.text
            }
            alert.addAction(UIAlertAction(title: "Cancel", style: .cancel, handler: nil))
            alert.addAction(
                UIAlertAction(title: "OK", style: .default) { [weak alert] _ in
                    answer(alert?.textFields?.first?.text ?? "")
                }
            )
            present(alert, animated: true, completion: nil)
        }

        /// Shows a text in an alert.
        func show(_ problem: String) {
            let alert = UIAlertController(title: nil, message: problem, preferredStyle: .alert)
            alert.addAction(UIAlertAction(title: "OK", style: .default, handler: nil))
            present(alert, animated: true, completion: nil)
        }
    }

    extension HostSwitch {
        /// A controller that shows the environments of all hosts and selects them, as SquidKit's
        /// `HostConfigurationTableViewController`.
        @MainActor public func makePicker() -> SectionsController {
            weak var shown: SectionsController?
            let picker = SectionsController {
                self.tableSections { [weak shown] error in Task { @MainActor in shown?.show("\(error)") } }
            }
            shown = picker
            picker.title = "Hosts"
            return picker
        }
    }

    extension DebugReport {
        /// A controller that shows the report.
        @MainActor public func makeController() -> SectionsController {
            let panel = SectionsController { self.sections }
            panel.title = "Debug"
            return panel
        }
    }
#endif
