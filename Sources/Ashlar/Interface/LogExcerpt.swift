import AshlarLogging

/// The end of a log as rows that can be searched and copied: what a log viewer shows.
///
/// ```swift
/// let log = LogExcerpt("10:02 [INFO] App - starts\n10:03 [ERROR] Net - no connection")
/// print(log.matching("error net").text)  // 10:03 [ERROR] Net - no connection
/// ```
public struct LogExcerpt: Sendable {
    /// The lines, the oldest first; the title of a row is the line.
    public let rows: [ListRow]

    /// Creates an excerpt from the lines of a text; empty lines are left out.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    public init(_ text: String) {
        rows = text.split(whereSeparator: \.isNewline).enumerated().map { ListRow(String($1), id: "\($0)") }
    }

    private init(rows: [ListRow]) { self.rows = rows }

    /// Returns the lines that contain every word of a search, regardless of case; all lines if there is no word.
    ///
    /// The rows keep their identity.
    ///
    /// - Complexity: O(*n* × *words*) in the length of the text.
    public func matching(_ search: String) -> LogExcerpt {
        let words = search.lowercased().split(whereSeparator: \.isWhitespace)
        guard !words.isEmpty else { return self }
        return LogExcerpt(
            rows: rows.filter { row in
                let line = row.title.lowercased()
                return words.allSatisfy { line.contains($0) }
            })
    }

    /// The lines as one text, to copy.
    public var text: String { rows.map(\.title).joined(separator: "\n") }
}
