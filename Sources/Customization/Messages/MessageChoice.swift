/// `{name}` or `{name, number, percent}` in an ICU message.
struct MessageArgument: Sendable {
    /// The display of a number.
    enum Style: Sendable {
        case plain
        case integer
        case percent
    }

    /// The number of the argument, from 0.
    let index: Int
    let style: Style
    /// Whether the argument must be a number.
    let isNumber: Bool
    /// The argument as written.
    let text: String
    /// The offset in the message's UTF-8.
    let offset: Int
}

/// A choice in an ICU message, among which a value selects.
final class MessageChoice: Sendable {
    /// The rule of the choice.
    enum Kind: String, Sendable {
        case select
        case plural
        case ordinal = "selectordinal"
    }

    typealias Pieces = [CompiledMessage.Piece]

    let kind: Kind
    /// The number of the argument, from 0.
    let index: Int
    /// The number that is subtracted before the plural rules apply.
    let numberOffset: Int64
    /// The exact cases of a plural, such as `=0`.
    let exact: [(number: Double, pieces: Pieces)]
    /// The other cases, in the order of the text, including `other`.
    let cases: [(name: String, pieces: Pieces)]
    /// The argument in braces, without its cases.
    let text: String
    /// The offset in the message's UTF-8.
    let offset: Int

    init(
        kind: Kind, index: Int, numberOffset: Int64, exact: [(number: Double, pieces: Pieces)],
        cases: [(name: String, pieces: Pieces)], text: String, offset: Int
    ) {
        (self.kind, self.index, self.numberOffset) = (kind, index, numberOffset)
        (self.exact, self.cases, self.text, self.offset) = (exact, cases, text, offset)
    }

    /// The pieces of all cases.
    var patterns: [Pieces] { exact.map(\.pieces) + cases.map(\.pieces) }

    /// Returns the pieces of a case, or of `other`; nil if there is neither.
    func pieces(of name: String) -> Pieces? {
        for choice in cases where choice.name == name { return choice.pieces }
        for choice in cases where choice.name == "other" { return choice.pieces }
        return nil
    }
}
