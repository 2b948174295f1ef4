package import AshlarCustomization

extension CustomizationMessage {
    /// A use of an argument in an ICU message.
    package struct ArgumentUse: Hashable, Sendable {
        package enum Kind: String, Hashable, Sendable {
            case plain
            case number
            /// A number with its currency.
            case amount
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
                        // An amount has its currency, which a number doesn't have.
                        case .number(let style) where style.unit == .currency(nil): .amount
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
