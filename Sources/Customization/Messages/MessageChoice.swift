/// The alternatives of a plural or select in an ICU message.
final class MessageChoice: Sendable {
    enum Kind: String, Sendable {
        case select
        case plural
        case ordinal = "selectordinal"
    }

    typealias Pieces = [CompiledMessage.Piece]

    let kind: Kind
    let place: MessagePlace
    /// The number that is subtracted before the plural rules apply.
    let numberOffset: Int64
    /// The exact cases of a plural, such as `=0`.
    let exact: [(number: Double, pieces: Pieces)]
    /// The other cases, in the order of the text, including `other`.
    let cases: [(name: String, pieces: Pieces)]
    /// The text of each plural category, in the order of `PluralCategory`; that of `other` if it has none.
    private let forms: [Pieces?]

    init(
        kind: Kind, place: MessagePlace, numberOffset: Int64, exact: [(number: Double, pieces: Pieces)],
        cases: [(name: String, pieces: Pieces)]
    ) {
        (self.kind, self.place, self.numberOffset) = (kind, place, numberOffset)
        (self.exact, self.cases) = (exact, cases)
        forms = PluralCategory.allCases.map { Self.pieces(of: $0.rawValue, in: cases) }
    }

    var patterns: [Pieces] { exact.map(\.pieces) + cases.map(\.pieces) }

    /// The text of a case, or of `other`; nil if there is neither.
    func pieces(of name: String) -> Pieces? { Self.pieces(of: name, in: cases) }

    /// The text of a plural category, or of `other`; nil if there is neither.
    func pieces(of category: PluralCategory) -> Pieces? {
        switch category {
        case .zero: forms[0]
        case .one: forms[1]
        case .two: forms[2]
        case .few: forms[3]
        case .many: forms[4]
        case .other: forms[5]
        }
    }

    private static func pieces(of name: String, in cases: [(name: String, pieces: Pieces)]) -> Pieces? {
        for choice in cases where choice.name == name { return choice.pieces }
        for choice in cases where choice.name == "other" { return choice.pieces }
        return nil
    }
}
