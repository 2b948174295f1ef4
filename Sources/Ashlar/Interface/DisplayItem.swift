/// A row of a list: what a table, a SwiftUI list or a terminal shows, and what happens when it is selected.
///
/// It has more than the `TableItem` of SquidKit: a subtitle, a tick and an input. `DisplayDataSource` shows sections in
/// UIKit, and `DisplayList` in SwiftUI.
public struct DisplayItem: Identifiable, Sendable {
    /// A text that a row asks for before it is selected, such as the name of a host.
    public struct Input: Hashable, Sendable {
        /// The text that a field shows while it is empty.
        public var prompt: String
        /// The text that a field starts with.
        public var text: String

        /// Creates an input.
        public init(prompt: String, text: String = "") { (self.prompt, self.text) = (prompt, text) }
    }

    /// The identity of the row in its section; by default its title.
    public var id: String
    /// The first line.
    public var title: String
    /// The second line, if there is one.
    public var subtitle: String?
    /// Whether the row has a tick.
    public var isSelected: Bool
    /// The height in points; nil for that of the list.
    public var rowHeight: Double?
    /// The identifier of a table's cells for this row.
    public var reuseIdentifier: String
    /// The text that the row asks for, if it asks for one.
    public var input: Input?
    /// The action when the row is selected, with the text of its input.
    public var select: (@MainActor @Sendable (_ text: String?) throws -> Void)?

    /// Creates a row.
    public init(
        _ title: String, id: String? = nil, subtitle: String? = nil, isSelected: Bool = false, rowHeight: Double? = nil,
        reuseIdentifier: String = "DisplayItem", input: Input? = nil,
        select: (@MainActor @Sendable (_ text: String?) throws -> Void)? = nil
    ) {
        (self.id, self.title, self.subtitle, self.isSelected) = (id ?? title, title, subtitle, isSelected)
        (self.rowHeight, self.reuseIdentifier, self.input, self.select) = (rowHeight, reuseIdentifier, input, select)
    }
}

/// A section of a list.
public struct DisplaySection: Identifiable, Sendable {
    /// The identity of the section in its list; by default its title.
    public var id: String
    /// The heading.
    public var title: String
    /// The rows, in order.
    public var items: [DisplayItem]

    /// Creates a section.
    public init(_ title: String, id: String? = nil, items: [DisplayItem] = []) {
        (self.id, self.title, self.items) = (id ?? title, title, items)
    }

    /// The number of rows.
    public var count: Int { items.count }

    /// The row at an index, or nil outside the section.
    public subscript(index: Int) -> DisplayItem? { items.indices.contains(index) ? items[index] : nil }

    /// Adds a row at the end.
    public mutating func append(_ item: DisplayItem) { items.append(item) }
}
