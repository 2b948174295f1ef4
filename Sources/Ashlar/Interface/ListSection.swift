public import AshlarNetworking

/// A row of a list as a plain value: its texts and its action.
///
/// It can fill a list of any toolkit, or a menu in a terminal.
///
/// ```swift
/// let row = ListRow("Log out") { _ in print("bye") }
/// row.select?("")
/// ```
public struct ListRow: Identifiable, Sendable {
    /// The identity of the row in its section; by default its title.
    public var id: String
    /// The title.
    public var title: String
    /// The subtitle, or nil for none.
    public var subtitle: String?
    /// Whether the row has a checkmark.
    public var isTicked: Bool
    /// What an empty text field shows, if the row asks for a text before it is selected; nil if it doesn't ask.
    public var prompt: String?
    /// The text that the field starts with.
    public var text: String
    /// The action of selecting the row, called on the selecting thread with the text of the field; nil for none.
    public var select: (@Sendable (_ text: String) -> Void)?

    /// Creates a row.
    public init(
        _ title: String, id: String? = nil, subtitle: String? = nil, isTicked: Bool = false, prompt: String? = nil,
        text: String = "", select: (@Sendable (_ text: String) -> Void)? = nil
    ) {
        self.id = id ?? title
        self.title = title
        self.subtitle = subtitle
        self.isTicked = isTicked
        self.prompt = prompt
        self.text = text
        self.select = select
    }

    /// The text that a screen reader speaks: the title and the subtitle.
    var spokenText: String { [title, subtitle].compactMap(\.self).joined(separator: ", ") }
}

/// The rows of a list under one title, as a plain value.
public struct ListSection: Identifiable, Sendable {
    /// The identity of the section in its list; by default its title.
    public var id: String
    /// The title, or nil for none.
    public var title: String?
    /// The rows, from the top.
    public var rows: [ListRow]

    /// Creates a section.
    public init(_ title: String? = nil, id: String? = nil, rows: [ListRow] = []) {
        self.id = id ?? title ?? ""
        self.title = title
        self.rows = rows
    }
}

extension HostSwitch {
    /// Returns the environments as a list, whose rows select their environment.
    ///
    /// The checkmarks show the current selections; when `changes()` delivers a snapshot, create the rows again. The
    /// identity of a row is the key of its environment. A row for a host that the user types asks for the host;
    /// selecting it with an empty text uses the last host.
    ///
    /// - Parameter failed: Called with the error if a selection fails because of the store, an invalid host or a
    ///   removed environment.
    /// - Returns: A section for each canonical host.
    /// - Complexity: O(*n*) in the number of environments.
    public func listSections(failed: @escaping @Sendable (NetworkError) -> Void = { _ in }) -> [ListSection] {
        rows.map { section in
            let rows = section.rows.map { row in
                ListRow(
                    row.title.isEmpty ? row.prompt : row.title, id: row.key, subtitle: row.subtitle,
                    isTicked: row.isSelected, prompt: row.editing == .none ? nil : row.prompt, text: row.typedText
                ) { [weak self] text in
                    do throws(NetworkError) {
                        try self?.select(row.key, for: section.title, userHost: text.isEmpty ? nil : text)
                    } catch { failed(error) }
                }
            }
            return ListSection(section.title, rows: rows)
        }
    }
}

/// The end of a log as rows that can be searched and copied: what a log viewer shows.
struct LogExcerpt: Sendable {
    /// The lines, the oldest first; the title of a row is the line.
    let rows: [ListRow]

    /// Creates an excerpt from the lines of a text; empty lines are left out.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    init(_ text: String) {
        rows = text.split(whereSeparator: \.isNewline).enumerated().map { ListRow(String($1), id: "\($0)") }
    }

    private init(rows: [ListRow]) { self.rows = rows }

    /// Returns the lines that contain every word of a search, regardless of case; all lines if there is no word.
    ///
    /// The rows keep their identity.
    ///
    /// - Complexity: O(*n* × *words*) in the length of the text.
    func matching(_ search: String) -> LogExcerpt {
        let words = search.lowercased().split(whereSeparator: \.isWhitespace)
        guard !words.isEmpty else { return self }
        return LogExcerpt(
            rows: rows.filter { row in
                let line = row.title.lowercased()
                return words.allSatisfy { line.contains($0) }
            })
    }

    /// The lines as one text, to copy.
    var text: String { rows.map(\.title).joined(separator: "\n") }
}
