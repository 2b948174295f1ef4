/// The words behind a command: flags with values, switches, and the rest in order.
struct ToolArguments {
    private var words: [String]

    init(_ words: some Sequence<String>) { self.words = Array(words) }

    /// Takes a flag's value out; the last one, if it is given several times.
    mutating func value(of flag: String) throws(UsageError) -> String? { try values(of: flag).last }

    /// Takes all values of a flag out.
    mutating func values(of flag: String) throws(UsageError) -> [String] {
        var values: [String] = []
        while let index = words.firstIndex(of: flag) {
            guard index + 1 < words.count else { throw UsageError(message: "\(flag) needs a value") }
            values.append(words[index + 1])
            words.removeSubrange(index...index + 1)
        }
        return values
    }

    /// Takes a switch out; whether it was there.
    mutating func has(_ flag: String) -> Bool {
        let before = words.count
        words.removeAll { $0 == flag }
        return words.count < before
    }

    /// Takes the next word out that is no flag.
    mutating func word() -> String? {
        guard let first = words.first, !first.hasPrefix("--") else { return nil }
        return words.removeFirst()
    }

    /// Takes the next word out; one must be there.
    mutating func word(_ meaning: String) throws(UsageError) -> String {
        guard let word = word() else { throw UsageError(message: "\(meaning) is missing") }
        return word
    }

    /// Throws if anything is left.
    func finish() throws(UsageError) {
        if let first = words.first { throw UsageError(message: "\(first) is not understood") }
    }
}

/// Lines of some columns, each but the last as wide as its widest cell.
func aligned(_ rows: [[String]]) -> [String] {
    var widths: [Int] = []
    for row in rows {
        for (column, cell) in row.enumerated() {
            if column == widths.count { widths.append(0) }
            widths[column] = max(widths[column], cell.count)
        }
    }
    return rows.map { row in
        var line = ""
        for (column, cell) in row.enumerated() {
            line += cell
            if column < row.count - 1 { line += String(repeating: " ", count: widths[column] - cell.count + 2) }
        }
        return line
    }
}
