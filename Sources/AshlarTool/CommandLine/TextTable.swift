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
    /// - Returns: A line for each row.
    static func aligned(_ rows: [[String]], width: Int? = nil, limit: Int = .max) -> [String] {
        let cellWidths = rows.map { $0.map(displayWidth) }
        var widths: [Int] = []
        for row in cellWidths {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                if cell <= limit || width != nil { widths[column] = max(widths[column], cell) }
            }
        }
        if let width { fit(&widths, width) }
        return rows.indices.map { row in
            var line = ""
            for (column, cell) in rows[row].enumerated() {
                let isLast = column == rows[row].count - 1
                var (text, used) = (cell, cellWidths[row][column])
                if width != nil, used > widths[column] { (text, used) = cut(text, widths[column]) }
                line += text
                if !isLast { line += String(repeating: " ", count: max(widths[column] - used, 0) + gap) }
            }
            return line
        }
    }

    /// Narrows the widest columns until all fit.
    private static func fit(_ widths: inout [Int], _ width: Int) {
        while widths.reduce(0, +) + gap * (widths.count - 1) > width {
            guard let widest = widths.indices.max(by: { widths[$0] < widths[$1] }), widths[widest] > narrowest else {
                return
            }
            widths[widest] -= 1
        }
    }

    /// Returns the start of a text with `…` that is at most as wide as given.
    private static func cut(_ text: String, _ width: Int) -> (String, Int) {
        var (start, used) = ("", 0)
        for character in text {
            let next = displayWidth(String(character))
            guard used + next < width else { break }
            start.append(character)
            used += next
        }
        return (start + "…", used + 1)
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
