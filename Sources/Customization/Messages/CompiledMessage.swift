internal import AshlarCore

/// A parsed message: pieces of text, placeholders and choices.
///
/// Every notation compiles to the same pieces, so one renderer formats all of them.
final class CompiledMessage: Sendable {
    enum Piece: Sendable {
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
    struct Pattern: Sendable {
        var pieces: [Piece] = []
        var problems: [MessageProblem] = []
    }

    /// A variable of a plural text.
    struct Variable: Sendable {
        let name: String
        /// The placeholder that displays the number, if its precision affects the category.
        let display: PrintfFormat.Placeholder?
        /// Whether the type of the number has decimals.
        let isDecimal: Bool
        let forms: [PluralCategory: Pattern]
        /// The argument of a reference without a position, from 1.
        let position: Int
    }

    let body: Pattern
    let variables: [Variable]
    let names: [String]
    /// The position, from 0, of each argument of an ICU message, or -1 for a name; nil for other notations.
    let positions: [Int]?
    /// The problems of all messages.
    let problems: [MessageProblem]
    /// The approximate length of the literals in the result.
    private let literalCount: Int

    init(_ source: CustomizationMessage.Source) {
        switch source {
        case .format(let text):
            let format = PrintfFormat(text)
            body = Pattern(pieces: format.segments.map { Piece($0) }, problems: format.problems)
            variables = []
            positions = nil
            problems = format.problems
            names = Self.names(upTo: format.placeholders.flatMap(\.uses).map(\.0).max() ?? 0)
            literalCount = text.utf8.count
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
            literalCount = Self.length(body.pieces)
        case .plural(let text):
            var compiler = PluralCompiler(text)
            compiler.compile()
            body = compiler.body
            variables = compiler.variables
            positions = nil
            problems = body.problems + variables.flatMap { $0.forms.values.flatMap(\.problems) }
            var names = Self.names(upTo: compiler.lastPosition)
            for variable in variables where names.indices.contains(variable.position - 1) {
                names[variable.position - 1] = variable.name
            }
            self.names = names
            literalCount =
                Self.length(body.pieces)
                + variables.reduce(0) { $0 + ($1.forms[.other].map { Self.length($0.pieces) } ?? 0) }
        case .devices:
            let chosen = CustomizationMessage(CustomizationMessage(source).source()).compiled
            body = chosen.body
            variables = chosen.variables
            names = chosen.names
            positions = chosen.positions
            problems = chosen.problems
            literalCount = chosen.literalCount
        }
    }

    private static func names(upTo position: Int) -> [String] {
        position > 0 ? (1...min(position, 1_000)).map(String.init) : []
    }

    /// Returns the maximum length of the literals in the result.
    private static func length(_ pieces: [Piece]) -> Int {
        pieces.reduce(0) { sum, piece in
            switch piece {
            case .literal(let text): sum + text.utf8.count
            case .choice(let choice): sum + (choice.patterns.map(length).max() ?? 0)
            default: sum
            }
        }
    }

    /// Returns the text for values.
    ///
    /// A result of more than 15 bytes costs one allocation if its capacity is right from the start.
    func render(_ values: MessageValues, language: LanguageConventions) -> (text: String, problems: [MessageProblem]) {
        var count = literalCount
        for index in names.indices {
            switch values[index] {
            case .string(let text): count += text.utf8.count
            case nil: break
            default: count += 12
            }
        }
        var renderer = MessageRenderer(message: self, values: values, language: language)
        if count > 15 { renderer.text.reserveCapacity(count) }
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
        self.kind = kind
        self.place = place
        self.numberOffset = numberOffset
        self.exact = exact
        self.cases = cases
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
