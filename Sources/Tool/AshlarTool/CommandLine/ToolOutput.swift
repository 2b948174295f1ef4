import AshlarCore
import AshlarTooling
import Dispatch

/// The output of a command: results go to standard output; errors, warnings and progress go to standard error.
///
/// Text that isn't the tool's own is escaped: it can't end a line, control the terminal or change the reading order.
struct ToolOutput: Sendable {
    private let out: @Sendable ([UInt8]) -> Void
    private let error: @Sendable (String) -> Void
    /// The standard output.
    private let terminal: Terminal
    /// The standard error.
    private let errorTerminal: Terminal

    init(
        terminal: Terminal, errorTerminal: Terminal, out: @escaping @Sendable ([UInt8]) -> Void,
        error: @escaping @Sendable (String) -> Void
    ) {
        self.terminal = terminal
        self.errorTerminal = errorTerminal
        self.out = out
        self.error = error
    }

    /// Whether the standard output is a terminal.
    var isTerminal: Bool { terminal.isTerminal }

    /// Prints a line of a result.
    func line(_ text: String) { raw(text.onOneLine + "\n") }

    /// Prints a result whose line feeds are its own; text of files in it has no line feeds.
    func lines(_ text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { self.line(String(line)) }
    }

    /// Prints the question of a menu, without a line end.
    func prompt(_ text: String) { error(text) }

    /// Prints text without changes.
    func raw(_ text: String) { out(Array(text.utf8)) }

    /// Prints the text of a file as it is, but escaped on a terminal.
    func document(_ text: String) {
        if isTerminal {
            // Swift has one character for CR LF.
            lines(text.utf8.last == UInt8(ascii: "\n") ? String(text.unicodeScalars.dropLast()) : text)
        } else {
            raw(text.utf8.last == UInt8(ascii: "\n") ? text : text + "\n")
        }
    }

    /// Prints a value as JSON.
    func json(_ value: ConfigValue) { document(JSONWriter(isPretty: true).text(value)) }

    /// Prints an error or a warning in one line; `error:` and `warning:` at its start are colored.
    func problem(_ text: String) {
        let line = text.onOneLine
        for (prefix, style) in [("error:", TextStyle.red), ("warning:", .yellow)] where line.hasPrefix(prefix) {
            error(style.applied(to: prefix, errorTerminal) + line.dropFirst(prefix.count) + "\n")
            return
        }
        error(line + "\n")
    }

    /// Prints an error that has a line for each of several problems.
    func problems(_ text: String) { for line in text.split(separator: "\n") { problem(String(line)) } }

    /// Prints a listing as a table, which fits the width of a terminal, or as JSON.
    func list(_ listing: Listing, asJSON: Bool) {
        guard !asJSON else { return json(listing.json) }
        let hasTitles = listing.hasTitles || isTerminal
        let rows = (hasTitles ? [listing.columns] : []) + listing.rows.map { $0.map { $0.text.onOneLine } }
        let places = listing.columns.indices.filter { listing.columns[$0].lowercased().hasSuffix("location") }
        let lines = TextTable.aligned(rows, width: terminal.width, limit: listing.limit, places: Set(places))
        for (number, text) in lines.enumerated() {
            raw((number == 0 && hasTitles ? TextStyle.bold : .plain).applied(to: text, terminal) + "\n")
        }
    }

    /// Reads a file.
    static func contents(_ file: String) throws(ToolError) -> [UInt8] {
        do throws(FileFailure) { return try WholeFile.read(file) } catch {
            throw .problem("can't read \(error.path): \(error)")
        }
    }

    /// Runs work, and shows its title and time on a terminal while it takes longer than a second.
    func working<Result>(_ title: String, _ body: () throws -> Result) rethrows -> Result {
        guard errorTerminal.isTerminal else { return try body() }
        let queue = DispatchQueue(label: "progress")
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let start = ContinuousClock.now
        let isShown = Broadcast(false)
        timer.setEventHandler { [error] in
            isShown.update { _ in true }
            error("\r\u{1B}[K\(title.onOneLine) … \((ContinuousClock.now - start).components.seconds) s")
        }
        timer.schedule(deadline: .now() + .seconds(1), repeating: .seconds(1))
        timer.activate()
        defer {
            // The queue has ended a line that it was printing.
            queue.sync { timer.cancel() }
            if isShown.current { error("\r\u{1B}[K") }
        }
        return try body()
    }
}

/// What the tool knows of an output.
struct Terminal: Sendable {
    let isTerminal: Bool
    /// The number of columns; nil if the output isn't a terminal.
    let width: Int?
    let usesColor: Bool
}

/// The color of a text on a terminal.
enum TextStyle: String {
    case plain = ""
    case red = "31"
    case yellow = "33"
    case bold = "1"

    func applied(to text: String, _ terminal: Terminal) -> String {
        terminal.usesColor && self != .plain ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}

/// Rows with named columns, which are printed as a table or as JSON.
struct Listing {
    /// The names of the columns, which are the keys of the JSON.
    let columns: [String]
    private(set) var rows: [[ConfigValue]] = []
    /// Longer cells don't widen their column.
    let limit: Int
    /// Whether the table has a row of titles, even if the output isn't a terminal.
    var hasTitles = false

    init(_ columns: [String], limit: Int = .max) {
        self.columns = columns
        self.limit = limit
    }

    init(_ columns: String..., limit: Int = .max) { self.init(columns, limit: limit) }

    mutating func add(_ row: [ConfigValue]) { rows.append(row) }

    mutating func add(_ row: ConfigValue...) { rows.append(row) }

    var json: ConfigValue {
        .array(
            rows.map { row in
                .dictionary(Dictionary(zip(columns, row)) { $1 }.filter { $0.value != .null })
            })
    }
}

extension ConfigValue {
    /// The text of a cell, and of a value alone.
    var text: String {
        switch self {
        case .string(let text): text
        case .null: ""
        default: JSONWriter(isPretty: false).text(self)
        }
    }
}

/// Rows of text in aligned columns.
enum TextTable {
    private static let gap = 2
    private static let narrowest = 8

    /// Aligns the columns of rows.
    ///
    /// - Parameters:
    ///   - rows: The cells.
    ///   - width: The width that the rows must fit; the widest columns are cut with `…`. nil for any width.
    ///   - limit: Cells that are longer than this don't widen their column.
    ///   - places: The columns of files and lines, which are cut at their start and never inside the line.
    /// - Returns: A line for each row.
    static func aligned(
        _ rows: [[String]], width: Int? = nil, limit: Int = .max, places: Set<Int> = []
    ) -> [String] {
        let cellWidths = rows.map { $0.map(displayWidth) }
        var widths: [Int] = []
        var least: [Int] = []
        for (row, cells) in zip(rows, cellWidths) {
            for (column, cell) in cells.enumerated() {
                if column == widths.count {
                    widths.append(0)
                    least.append(narrowest)
                }
                if cell <= limit || width != nil { widths[column] = max(widths[column], cell) }
                guard places.contains(column) else { continue }
                let line = row[column].reversed().prefix { $0.isNumber || $0 == ":" }
                least[column] = max(least[column], line.count + 1)
            }
        }
        if let width { fit(&widths, width, least) }
        return rows.indices.map { row in
            var line = ""
            for (column, cell) in rows[row].enumerated() {
                let isLast = column == rows[row].count - 1
                var (text, used) = (cell, cellWidths[row][column])
                if width != nil, used > widths[column] {
                    (text, used) = cut(text, widths[column], atStart: places.contains(column))
                }
                line += text
                if !isLast { line += String(repeating: " ", count: max(widths[column] - used, 0) + gap) }
            }
            return line
        }
    }

    /// Narrows the widest columns until all fit.
    private static func fit(_ widths: inout [Int], _ width: Int, _ least: [Int]) {
        while widths.reduce(0, +) + gap * (widths.count - 1) > width {
            let wide = widths.indices.filter { widths[$0] > least[$0] }
            guard let widest = wide.max(by: { widths[$0] < widths[$1] }) else { return }
            widths[widest] -= 1
        }
    }

    /// Returns the start or the end of a text with `…` that is at most as wide as given.
    private static func cut(_ text: String, _ width: Int, atStart: Bool) -> (String, Int) {
        var (kept, used) = ([Character](), 0)
        for character in atStart ? Array(text.reversed()) : Array(text) {
            let next = displayWidth(String(character))
            guard used + next < width else { break }
            kept.append(character)
            used += next
        }
        return (atStart ? "…" + String(kept.reversed()) : String(kept) + "…", used + 1)
    }

    /// The number of terminal columns of a text: two for wide East Asian characters and emoji, one for others.
    static func displayWidth(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { width, character in
            let isWide = character.unicodeScalars.contains { scalar in
                switch scalar.value {
                case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
                    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
                    true
                default: scalar.properties.isEmojiPresentation
                }
            }
            return width + (isWide ? 2 : 1)
        }
    }
}
