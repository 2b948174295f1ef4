/// A row of a table as a plain value: what it shows, how tall it is, and what selecting it does.
///
/// A table of any toolkit can be filled from it. The idea is SquidKit's class of the same name; here it is a value
/// without a view, that any thread may hold.
///
/// ```swift
/// let item = TableItem("Log out", rowHeight: 44, reuseIdentifier: "action") { item in print(item.title) }
/// item.select?(item)
/// ```
public struct TableItem: Sendable {
    /// What is done with an item when its row is selected.
    public typealias Selection = @Sendable (TableItem) -> Void

    /// The main line.
    public var title: String
    /// The second line, or nil.
    public var subtitle: String?
    /// Whether the row has a tick.
    public var isTicked: Bool
    /// The height of the row in points, or nil for the table's own.
    public var rowHeight: Double?
    /// The name of the kind of cell, or nil for the table's own.
    public var reuseIdentifier: String?
    /// What selecting the row does, or nil for nothing; called on the thread that selects.
    public var select: Selection?

    /// Creates a row.
    public init(
        _ title: String, subtitle: String? = nil, isTicked: Bool = false, rowHeight: Double? = nil,
        reuseIdentifier: String? = nil, select: Selection? = nil
    ) {
        (self.title, self.subtitle, self.isTicked) = (title, subtitle, isTicked)
        (self.rowHeight, self.reuseIdentifier, self.select) = (rowHeight, reuseIdentifier, select)
    }
}

/// Rows of a table under one title, as a plain value.
///
/// ```swift
/// var section = TableSection("Account")
/// section.append(TableItem("Log out"))
/// assert(section.count == 1 && section[0]?.title == "Log out" && section[1] == nil && section[-1] == nil)
/// ```
public struct TableSection: Sendable {
    /// The title, or nil for none.
    public var title: String?
    /// The rows, from the top.
    public var items: [TableItem]

    /// Creates a section.
    public init(_ title: String? = nil, items: [TableItem] = []) { (self.title, self.items) = (title, items) }

    /// The number of rows.
    public var count: Int { items.count }

    /// The row at an index, or nil if there is none; a negative one, which trapped in SquidKit, is none either.
    public subscript(index: Int) -> TableItem? { items.indices.contains(index) ? items[index] : nil }

    /// Adds a row at the end.
    public mutating func append(_ item: TableItem) { items.append(item) }
}

extension HostSwitch {
    /// The environments as a table: what ``rows`` holds, in items that choose when they are selected.
    ///
    /// The items show the tick of the moment at which they were made; ``changes()`` says when to make them again. The
    /// identifiers of the rows are `host` and, for a host that is typed, `host-text` and `host-digits`.
    ///
    /// - Parameter failed: What is done with the error of a selection: a store that fails, or an environment that is not
    ///   in the map any more.
    /// - Returns: A section for each canonical host.
    /// - Complexity: O(*n*) in the number of environments.
    public func tableSections(failed: @escaping @Sendable (NetworkError) -> Void = { _ in }) -> [TableSection] {
        rows.map { section in
            let items = section.rows.map { row in
                TableItem(
                    row.title.isEmpty ? row.prompt : row.title, subtitle: row.subtitle, isTicked: row.isChosen,
                    reuseIdentifier: row.editing.reuseIdentifier
                ) { [weak self] _ in
                    do throws(NetworkError) {
                        try self?.choose(row.key, for: section.title)
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
