internal import AshlarCore

/// A parsed message: pieces of text, placeholders and choices.
///
/// Every notation compiles to the same pieces, so one renderer formats all of them.
package final class CompiledMessage: Sendable {
    package enum Piece: Sendable {
        case literal(String)
        /// A `printf` placeholder and its position from 1; position 0 is the number of the enclosing variable.
        indirect case placeholder(PrintfFormat.Placeholder, position: Int)
        /// `%#@name@`: the number of the variable (-1 if it isn't defined), and the position of its argument.
        indirect case variable(PrintfFormat.Placeholder, number: Int, position: Int)
        /// `{name}` or `{name, number}`.
        case argument(MessageArgument)
        /// `#`: the number of the plural that contains it.
        case number
        /// `{name, plural, …}` or `{name, select, …}`.
        case choice(MessageChoice)
    }

    /// A text in pieces, and the syntax problems.
    package struct Pattern: Sendable {
        package var pieces: [Piece] = []
        var problems: [MessageProblem] = []
    }

    /// A variable of a plural text.
    package struct Variable: Sendable {
        package let name: String
        /// The placeholder that displays the number, if its precision affects the category.
        let display: PrintfFormat.Placeholder?
        /// Whether the type of the number has decimals.
        package let isDecimal: Bool
        package let forms: [PluralCategory: Pattern]
        /// The argument of a reference without a position, from 1.
        package let position: Int
    }

    package let body: Pattern
    package let variables: [Variable]
    package let names: [String]
    /// The position, from 0, of each argument of an ICU message, or -1 for a name; nil for other notations.
    let positions: [Int]?
    /// The problems of all messages.
    let problems: [MessageProblem]

    init(_ source: CustomizationMessage.Source) {
        switch source {
        case .format(let text):
            let format = PrintfFormat(text)
            body = Pattern(pieces: format.segments.map { Piece($0) }, problems: format.problems)
            variables = []
            positions = nil
            problems = format.problems
            names = Self.names(upTo: format.placeholders.flatMap(\.uses).map(\.0).max() ?? 0)
        case .icu(let text):
            var parser = ICUMessageParser(text)
            body = Pattern(pieces: parser.parse(), problems: parser.problems)
            variables = []
            problems = parser.problems
            names = parser.names
            positions = names.map { name in
                name.utf8.allSatisfy { $0.isDigit }
                    ? Int(name) ?? -1 : -1
            }
        case .plural(let text):
            var compiler = PluralCompiler(text)
            compiler.compile()
            body = compiler.body
            variables = compiler.variables
            positions = nil
            problems = body.problems + variables.flatMap { $0.forms.values.flatMap(\.problems) }
            var names = Self.names(upTo: compiler.lastPosition)
            for variable in variables
            where compiler.refers(to: variable.name) && names.indices.contains(variable.position - 1) {
                names[variable.position - 1] = variable.name
            }
            self.names = names
        case .devices:
            let chosen = CustomizationMessage(CustomizationMessage(source).source()).compiled
            body = chosen.body
            variables = chosen.variables
            names = chosen.names
            positions = chosen.positions
            problems = chosen.problems
        }
    }

    private static func names(upTo position: Int) -> [String] {
        position > 0 ? (1...min(position, 1_000)).map(String.init) : []
    }

    /// Returns the text for values.
    func render(_ values: MessageValues, language: LanguageConventions) -> (text: String, problems: [MessageProblem]) {
        var renderer = MessageRenderer(message: self, values: values, language: language)
        renderer.render(body)
        return (renderer.text, renderer.problems)
    }
}

extension CompiledMessage.Piece {
    /// Creates a piece of a format without variables.
    init(_ segment: PrintfFormat.Segment, position: Int? = nil) {
        switch segment {
        case .literal(let text): self = .literal(text)
        case .placeholder(let placeholder):
            self = .placeholder(placeholder, position: position ?? placeholder.position)
        }
    }
}

/// Compiles a format with variables, and numbers its arguments.
private struct PluralCompiler {
    private(set) var body = CompiledMessage.Pattern()
    private(set) var variables: [CompiledMessage.Variable] = []
    /// The maximum position of an argument.
    private(set) var lastPosition = 0

    private let text: PluralText
    private let numbering: PluralNumbering
    private let numbers: [String: Int]

    init(_ text: PluralText) {
        self.text = text
        numbering = PluralNumbering(text)
        numbers = Dictionary(
            uniqueKeysWithValues: text.variables.keys.sorted().enumerated().map {
                ($0.element, $0.offset)
            })
    }

    /// Whether the text contains a variable, possibly in other variables.
    func refers(to name: String) -> Bool { numbering.variables[name] != nil }

    mutating func compile() {
        body = pattern(text.format, own: nil, next: 1)
        for (name, variable) in text.variables.sorted(by: { $0.key < $1.key }) {
            // A variable to which the text doesn't refer has no argument and is never displayed.
            let place = numbering.variables[name]
            let forms = variable.forms.mapValues {
                pattern($0, own: 0, next: place?.next ?? 1)
            }
            let number = PrintfFormat("%" + variable.valueType).placeholders.first
            variables.append(
                .init(
                    name: name, display: variable.valueType.contains(".") ? number : nil,
                    isDecimal: number?.type.kind == .float, forms: forms, position: place?.position ?? 1))
        }
    }

    /// Compiles a text; in a variable, `own` is 0, the position of the variable's number.
    private mutating func pattern(_ text: String, own: Int?, next: Int) -> CompiledMessage.Pattern {
        let format = PrintfFormat(text)
        // Positions refer to the whole message, so conflicts can't be detected in one form.
        var pattern = CompiledMessage.Pattern(
            problems: format.problems.filter { $0.code != .mixedPositions && $0.code != .conflictingTypes })
        for (segment, position) in numbering.segments(of: format, own: own, next: next) {
            lastPosition = max(lastPosition, position)
            if case .placeholder(let placeholder) = segment, let name = placeholder.variable {
                pattern.pieces.append(.variable(placeholder, number: numbers[name] ?? -1, position: position))
            } else {
                pattern.pieces.append(.init(segment, position: position))
            }
        }
        return pattern
    }
}

/// The alternatives of a plural or select in an ICU message.
package final class MessageChoice: Sendable {
    package enum Kind: String, Sendable {
        case select
        case plural
        case ordinal = "selectordinal"
    }

    package typealias Pieces = [CompiledMessage.Piece]

    package let kind: Kind
    package let place: MessagePlace
    /// The number that is subtracted before the plural rules apply.
    let numberOffset: Int64
    /// The exact cases of a plural, such as `=0`.
    package let exact: [(number: Double, pieces: Pieces)]
    /// The other cases, in the order of the text, including `other`.
    package let cases: [(name: String, pieces: Pieces)]

    init(
        kind: Kind, place: MessagePlace, numberOffset: Int64, exact: [(number: Double, pieces: Pieces)],
        cases: [(name: String, pieces: Pieces)]
    ) {
        self.kind = kind
        self.place = place
        self.numberOffset = numberOffset
        self.exact = exact
        self.cases = cases
    }

    package var patterns: [Pieces] { exact.map(\.pieces) + cases.map(\.pieces) }

    /// The text of a case, or of `other`; nil if there is neither.
    func pieces(of name: String) -> Pieces? {
        (cases.first { $0.name == name } ?? cases.first { $0.name == "other" })?.pieces
    }
}
