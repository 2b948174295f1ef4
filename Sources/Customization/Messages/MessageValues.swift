/// The values of a message, found by the number of an argument.
enum MessageValues {
    /// Values in the order of the arguments, or, with positions, at the position of each argument that has a name.
    case list([FormatValue], positions: [Int]?)
    /// Values by name, and the names of the message's arguments; of two values for one name, the first one is used.
    case pairs(KeyValuePairs<String, any FormatArgument>, names: [String])
    /// The same as a dictionary.
    case dictionary([String: any FormatArgument], names: [String])

    /// The value of an argument, counted from 0; nil if it is missing.
    subscript(index: Int) -> FormatValue? {
        switch self {
        case .list(let values, let positions):
            guard let positions else { return values.indices.contains(index) ? values[index] : nil }
            guard positions.indices.contains(index), values.indices.contains(positions[index]) else { return nil }
            return values[positions[index]]
        case .pairs(let pairs, let names):
            guard names.indices.contains(index) else { return nil }
            let name = names[index]
            for (key, value) in pairs where key == name { return value.formatValue }
            return nil
        case .dictionary(let values, let names):
            return names.indices.contains(index) ? values[names[index]]?.formatValue : nil
        }
    }

    /// The message for a missing argument.
    func problem(ofMissing index: Int) -> String {
        switch self {
        case .list(let values, let positions):
            if let positions, positions.indices.contains(index) {
                guard positions[index] >= 0 else { return "the argument has a name, and the values have none" }
                return "argument \(positions[index] + 1) is missing; there are \(values.count)"
            }
            return "argument \(index + 1) is missing; there are \(values.count)"
        case .pairs(let pairs, let names): return Self.problem(ofMissing: index, pairs.map(\.key), names)
        case .dictionary(let values, let names): return Self.problem(ofMissing: index, values.keys.sorted(), names)
        }
    }

    private static func problem(ofMissing index: Int, _ keys: [String], _ names: [String]) -> String {
        let name = names.indices.contains(index) ? names[index] : String(index + 1)
        let given = keys.prefix(20).joined(separator: ", ")
        return "argument \"\(name)\" is missing; there \(given.isEmpty ? "are none" : "is \(given)")"
    }
}

/// The place of an argument in braces, for messages about it.
package struct MessagePlace: Sendable {
    /// The number of the argument, from 0.
    package let index: Int
    /// The argument as it is written; for a choice, without its cases.
    let text: String
    /// The offset in the message's UTF-8.
    let offset: Int

    /// The place of `#`.
    static let number = MessagePlace(index: 0, text: "#", offset: 0)
}

/// `{name}`, `{name, number, percent}` or `{name, date, short}` in an ICU message.
package final class MessageArgument: Sendable {
    package enum Style: Equatable, Sendable {
        case plain
        case number(MessageNumberStyle)
        case date(MessageDateStyle)
    }

    package let place: MessagePlace
    package let style: Style

    init(_ place: MessagePlace, style: Style) { (self.place, self.style) = (place, style) }
}
