internal import AshlarTrees

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes values as JSON.
///
/// Dates, data, and numbers that aren't finite become strings, which the getters can read.
package struct JSONWriter {
    let isPretty: Bool

    package init(isPretty: Bool) { self.isPretty = isPretty }

    /// Returns the text of a value with sorted keys.
    package func text(_ value: ConfigValue) -> String {
        var text = ""
        write(value, depth: 0, to: &text)
        return text
    }

    private func write(_ value: ConfigValue, depth: Int, to text: inout String) {
        func breakLine(_ depth: Int) {
            if isPretty { text += "\n" + String(repeating: "  ", count: depth) }
        }
        func writeList<Item>(_ items: [Item], _ open: String, _ close: String, _ write: (Item) -> Void) {
            text += open
            for (number, item) in items.enumerated() {
                if number > 0 { text += isPretty ? "," : ", " }
                breakLine(depth + 1)
                write(item)
            }
            if !items.isEmpty { breakLine(depth) }
            text += close
        }
        switch value {
        case .array(let elements):
            writeList(elements, "[", "]") { write($0, depth: depth + 1, to: &text) }
        case .dictionary(let entries):
            writeList(entries.sorted { $0.key < $1.key }, "{", "}") { key, value in
                text += JSONText.quoted(key) + (isPretty ? ": " : ":")
                write(value, depth: depth + 1, to: &text)
            }
        default: text += Self.text(scalar: value)
        }
    }

    private static func text(scalar value: ConfigValue) -> String {
        switch value {
        case .null, .array, .dictionary: "null"
        case .boolean(let flag): flag ? "true" : "false"
        case .integer(let number): "\(number)"
        case .unsigned(let number): "\(number)"
        case .real(let number): number.isFinite ? "\(number)" : JSONText.quoted("\(number)")
        case .string(let string): JSONText.quoted(string)
        case .date(let date):
            JSONText.quoted(ConfigDateText.format(secondsSince2001: date.timeIntervalSinceReferenceDate))
        case .data(let data): JSONText.quoted(data.base64EncodedString())
        }
    }
}
