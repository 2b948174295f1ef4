/// The values of a message, found by the number of an argument.
enum MessageValues {
    /// Values in the order of the arguments, or at the position of each argument.
    case list([FormatValue], positions: [Int]?)
    /// Values by name, and the names of the message's arguments; of two values for one name, the first one is used.
    case pairs(KeyValuePairs<String, any FormatArgument>, [String])
    /// The same as a dictionary, also for messages with so many arguments that a search in pairs would be slow.
    case dictionary([String: any FormatArgument], [String])

    /// Takes values in the order of the arguments.
    ///
    /// - Parameters:
    ///   - values: The values.
    ///   - positions: The position of each argument that has a name; nil if arguments are numbered as the values are.
    init(_ values: [FormatValue], positions: [Int]?) { self = .list(values, positions: positions) }

    /// Takes values by name.
    init(_ pairs: KeyValuePairs<String, any FormatArgument>, names: [String]) {
        self =
            names.count > 4
            ? .dictionary(Dictionary(pairs.map { ($0.key, $0.value) }) { first, _ in first }, names)
            : .pairs(pairs, names)
    }

    /// Takes values by name.
    init(_ values: [String: any FormatArgument], names: [String]) { self = .dictionary(values, names) }

    /// The value of an argument, counted from 0; nil if it is missing.
    subscript(index: Int) -> FormatValue? {
        switch self {
        case .list(let values, let positions):
            guard let positions else { return values.indices.contains(index) ? values[index] : nil }
            guard positions.indices.contains(index), values.indices.contains(positions[index]) else { return nil }
            return values[positions[index]]
        case .pairs(let pairs, let names):
            guard names.indices.contains(index) else { return nil }
            return pairs.first { $0.key == names[index] }?.value.formatValue
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
struct MessagePlace: Sendable {
    /// The number of the argument, from 0.
    let index: Int
    /// The argument as it is written; for a choice, without its cases.
    let text: String
    /// The offset in the message's UTF-8.
    let offset: Int

    /// The place of `#`.
    static let number = MessagePlace(index: 0, text: "#", offset: 0)
}

/// `{name}`, `{name, number, percent}` or `{name, date, short}` in an ICU message.
final class MessageArgument: Sendable {
    enum Style: Equatable, Sendable {
        case plain
        case number(MessageNumberStyle)
        case date(MessageDateStyle)
    }

    let place: MessagePlace
    let style: Style

    init(_ place: MessagePlace, style: Style) { (self.place, self.style) = (place, style) }
}

extension CustomizationMessage {
    /// A use of an argument in an ICU message.
    package struct ArgumentUse: Hashable, Sendable {
        package enum Kind: String, Hashable, Sendable {
            case plain
            case number
            /// A date or a time.
            case date
            case plural
            case ordinal = "selectordinal"
            case select
        }

        package let name: String
        package let kind: Kind
        /// The cases of a choice except exact numbers.
        package let cases: [String]
        /// Whether a plural has cases for exact numbers.
        package let hasExactCases: Bool
    }

    /// The arguments in braces in the order of the text, including those of nested messages.
    package var argumentUses: [ArgumentUse] {
        let message = compiled
        var uses: [ArgumentUse] = []
        func walk(_ pieces: [CompiledMessage.Piece]) {
            for piece in pieces {
                switch piece {
                case .argument(let argument):
                    let kind: ArgumentUse.Kind =
                        switch argument.style {
                        case .plain: .plain
                        case .number: .number
                        case .date: .date
                        }
                    uses.append(
                        ArgumentUse(
                            name: message.names[argument.place.index], kind: kind, cases: [], hasExactCases: false))
                case .choice(let choice):
                    uses.append(
                        ArgumentUse(
                            name: message.names[choice.place.index],
                            kind: choice.kind == .plural ? .plural : choice.kind == .ordinal ? .ordinal : .select,
                            cases: choice.cases.map(\.name), hasExactCases: !choice.exact.isEmpty))
                    choice.patterns.forEach(walk)
                case .literal, .placeholder, .variable, .number: break
                }
            }
        }
        walk(message.body.pieces)
        return uses
    }
}
