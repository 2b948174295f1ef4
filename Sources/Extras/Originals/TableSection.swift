public import AshlarNetworking

/// A row of a table as a plain value: its strings, its height, its input and its action.
///
/// It can fill a table of any toolkit. It has the name of SquidKit's class, but is a value without a view, usable on
/// any thread.
///
/// ```swift
/// let item = TableItem("Log out", rowHeight: 44, reuseIdentifier: "action") { item in print(item.title) }
/// item.select?(item)
/// ```
public struct TableItem: Identifiable, Sendable {
    /// The action of a selected row.
    public typealias Selection = @Sendable (TableItem) -> Void

    /// A text that a row asks for before it is selected, such as the name of a host.
    public struct Input: Hashable, Sendable {
        /// The text that a field shows while it is empty.
        public var prompt: String
        /// The text of the field; set it before you call ``TableItem/select``.
        public var text: String

        /// Creates an input.
        public init(prompt: String, text: String = "") {
            self.prompt = prompt
            self.text = text
        }
    }

    /// The identity of the row in its section; by default its title.
    public var id: String
    /// The title.
    public var title: String
    /// The subtitle, or nil for none.
    public var subtitle: String?
    /// Whether the row has a checkmark.
    public var isTicked: Bool
    /// The height of the row in points, or nil for the table's default.
    public var rowHeight: Double?
    /// The identifier of the kind of cell, or nil for the table's default.
    public var reuseIdentifier: String?
    /// The text that the row asks for, or nil.
    public var input: Input?
    /// The action of selecting the row, called on the selecting thread, or nil.
    public var select: Selection?

    /// Creates a row.
    public init(
        _ title: String, id: String? = nil, subtitle: String? = nil, isTicked: Bool = false, rowHeight: Double? = nil,
        reuseIdentifier: String? = nil, input: Input? = nil, select: Selection? = nil
    ) {
        self.id = id ?? title
        self.title = title
        self.subtitle = subtitle
        self.isTicked = isTicked
        self.rowHeight = rowHeight
        self.reuseIdentifier = reuseIdentifier
        self.input = input
        self.select = select
    }
}

/// The rows of a table under one title, as a plain value.
///
/// ```swift
/// var section = TableSection("Account")
/// section.append(TableItem("Log out"))
/// assert(section.count == 1 && section[0]?.title == "Log out" && section[1] == nil && section[-1] == nil)
/// ```
public struct TableSection: Identifiable, Sendable {
    /// The identity of the section in its table; by default its title.
    public var id: String
    /// The title, or nil for none.
    public var title: String?
    /// The rows, from the top.
    public var items: [TableItem]

    /// Creates a section.
    public init(_ title: String? = nil, id: String? = nil, items: [TableItem] = []) {
        self.id = id ?? title ?? ""
        self.title = title
        self.items = items
    }

    /// The number of rows.
    public var count: Int { items.count }

    /// Returns the row at an index, or nil if the index is out of range; SquidKit trapped for negative ones.
    public subscript(index: Int) -> TableItem? { items.indices.contains(index) ? items[index] : nil }

    /// Appends a row.
    public mutating func append(_ item: TableItem) { items.append(item) }
}

extension HostSwitch {
    /// Returns the environments as a table, whose items select their environment.
    ///
    /// The checkmarks show the current selections; when `changes()` delivers a change, create the items again. The
    /// identity of a row is the key of its environment. The reuse identifiers of the rows are `host` and, for a host
    /// that the user types, `host-text` and `host-digits`. Such a row has an input; selecting it with an empty text
    /// uses the last host.
    ///
    /// - Parameter failed: Called with the error if a selection fails because of the store, an invalid host or a
    ///   removed environment.
    /// - Returns: A section for each canonical host.
    /// - Complexity: O(*n*) in the number of environments.
    public func tableSections(failed: @escaping @Sendable (NetworkError) -> Void = { _ in }) -> [TableSection] {
        rows.map { section in
            let items = section.rows.map { row in
                TableItem(
                    row.title.isEmpty ? row.prompt : row.title, id: row.key, subtitle: row.subtitle,
                    isTicked: row.isSelected, reuseIdentifier: row.editing.reuseIdentifier,
                    input: row.editing == .none ? nil : .init(prompt: row.prompt, text: row.typedText)
                ) { [weak self] item in
                    let text = item.input?.text ?? ""
                    do throws(NetworkError) {
                        try self?.select(row.key, for: section.title, userHost: text.isEmpty ? nil : text)
                    } catch { failed(error) }
                }
            }
            return TableSection(section.title, items: items)
        }
    }
}

extension HostEditing {
    fileprivate var reuseIdentifier: String {
        switch self {
        case .none: "host"
        case .text: "host-text"
        case .digits: "host-digits"
        }
    }
}
