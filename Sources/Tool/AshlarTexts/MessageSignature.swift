package import AshlarCustomization

/// An argument that a text takes, for generated code.
package struct MessageParameter: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case text
        case integer
        case number
        /// A value that is printed as it is, or a date.
        case any
    }

    /// The name in the message; nil for an argument by position.
    package let name: String?
    package let kind: Kind
}

/// The arguments of a key: those of its texts in all languages and for all devices.
package struct MessageSignature: Sendable {
    /// A text that contradicts an earlier one.
    package struct Contradiction: Hashable, Sendable {
        package let location: CustomizationLocation
        package let text: String
    }

    /// The text in which an argument has a kind.
    private struct Source: Sendable {
        let name: String
        let location: CustomizationLocation
    }

    private struct Argument: Sendable {
        var name: String?
        /// The kinds of its placeholders, in order, with the first text of each.
        var uses: [(kind: MessageParameter.Kind, source: Source)] = []
        /// The first text that displays it with `%@`, which accepts every value.
        var display: Source?
        /// The kind of a plural variable that the argument selects.
        var selected: MessageParameter.Kind?
    }

    private var positional: [Int: Argument] = [:]
    private var named: [(name: String, argument: Argument)] = []
    private var positionalSource: Source?
    private var namedSource: Source?
    package private(set) var contradictions: [Contradiction] = []

    package init() {}

    /// Whether the arguments have names instead of positions.
    package var isNamed: Bool { positionalSource == nil && namedSource != nil }

    /// The arguments in order.
    package var parameters: [MessageParameter] {
        if isNamed { return named.map { MessageParameter(name: $0.name, kind: $0.argument.uses.first?.kind ?? .any) } }
        return (0..<(positional.keys.max() ?? 0)).map { index in
            guard let argument = positional[index + 1] else { return MessageParameter(name: nil, kind: .any) }
            let kind = argument.uses.first?.kind ?? argument.selected ?? (argument.display == nil ? .any : .text)
            return MessageParameter(name: argument.name, kind: kind)
        }
    }

    /// Adds the arguments of a text.
    ///
    /// - Parameters:
    ///   - value: The text or message.
    ///   - name: The name of the text in messages, such as its language.
    ///   - location: The location of the text.
    package mutating func add(_ value: CustomizationValue, name: String, at location: CustomizationLocation) {
        let source = Source(name: name, location: location)
        switch value {
        case .string(let text): add(text, source)
        case .message(let message): add(message, source)
        default: return
        }
        checkNotation(source)
    }

    /// Adds the arguments that a key contains, as in `"notes %lld"`; other signs in a key aren't placeholders.
    package mutating func add(key: String, at location: CustomizationLocation) {
        let placeholders = PrintfFormat(key).placeholders
        guard !placeholders.isEmpty, placeholders.allSatisfy({ "@diuf".contains($0.conversion) }) else { return }
        let source = Source(name: "the key", location: location)
        add(key, source)
        checkNotation(source)
    }

    /// Reports a text whose arguments have positions beside a text whose arguments have names.
    private mutating func checkNotation(_ source: Source) {
        guard let positionalSource, let namedSource, [positionalSource.name, namedSource.name].contains(source.name)
        else { return }
        contradict(
            source, "\(positionalSource.name) has arguments by position, and \(namedSource.name) has them by name")
    }

    private mutating func add(_ text: String, _ source: Source) {
        let placeholders = PrintfFormat(text).placeholders
        // A sign before a space, as in "50 % of all", isn't a placeholder, but formatting it beside others takes a value.
        if let accidental = placeholders.first(where: \.isAccidental) {
            if placeholders.allSatisfy(\.isAccidental) { return }
            return contradict(
                source, "\"\(accidental.text)\" in \(source.name) is read as a placeholder; write %% for a percent sign"
            )
        }
        if !placeholders.isEmpty { return add(CustomizationMessage(text), source) }
        let message = CustomizationMessage(icu: text)
        guard text.utf8.contains(UInt8(ascii: "{")), message.problems.isEmpty else { return }
        addNamed(message, source)
    }

    private mutating func add(_ message: CustomizationMessage, _ source: Source) {
        switch message.source {
        case .devices(let choices):
            for (_, choice) in choices.sorted(by: { $0.key < $1.key }) { add(choice, source) }
        case .icu: addNamed(message, source)
        case .format, .plural: addPositional(message.compiled, source)
        }
    }

    // MARK: Arguments by position

    private mutating func addPositional(_ message: CompiledMessage, _ source: Source) {
        add(message.body.pieces, of: message, own: 0, source)
        for variable in message.variables {
            for (_, form) in variable.forms.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                add(form.pieces, of: message, own: variable.position, source)
            }
        }
        if !positional.isEmpty { positionalSource = positionalSource ?? source }
    }

    /// Adds the arguments of a text; in a variable, `own` is the position of the variable's number.
    private mutating func add(
        _ pieces: [CompiledMessage.Piece], of message: CompiledMessage, own: Int, _ source: Source
    ) {
        for piece in pieces {
            switch piece {
            case .placeholder(let placeholder, let position):
                for (star, _) in placeholder.uses.dropLast() { use(star, .integer, source) }
                use(position == 0 ? own : position, placeholder.type.kind.parameterKind, source)
            case .variable(_, let number, let position):
                guard message.variables.indices.contains(number) else { continue }
                let variable = message.variables[number]
                var argument = positional[position] ?? Argument()
                argument.name = argument.name ?? (Int(variable.name) == nil ? variable.name : nil)
                if argument.selected != .number { argument.selected = variable.isDecimal ? .number : .integer }
                positional[position] = argument
            default: break
            }
        }
    }

    /// Notes a use of an argument; the kind is nil for `%@`.
    private mutating func use(_ position: Int, _ kind: MessageParameter.Kind?, _ source: Source) {
        var argument = positional[position] ?? Argument()
        if let kind {
            let isNew = !argument.uses.contains { $0.kind == kind }
            if isNew, let first = argument.uses.first {
                contradict(source, "\(position)", kind, first.kind, in: first.source)
            } else if isNew, kind != .text, let display = argument.display, argument.selected == nil {
                contradict(source, "\(position)", kind, .text, in: display)
            }
            if isNew { argument.uses.append((kind, source)) }
        } else if argument.display == nil {
            argument.display = source
            if let first = argument.uses.first, first.kind != .text, argument.selected == nil {
                contradict(source, "\(position)", .text, first.kind, in: first.source)
            }
        }
        positional[position] = argument
    }

    private mutating func contradict(
        _ source: Source, _ argument: String, _ kind: MessageParameter.Kind, _ other: MessageParameter.Kind,
        in earlier: Source
    ) {
        contradict(
            source,
            "argument \(argument) is \(kind.article) in \(source.name) and \(other.article) in \(earlier.name)")
    }

    private mutating func contradict(_ source: Source, _ text: String) {
        let found = Contradiction(location: source.location, text: text)
        if !contradictions.contains(found) { contradictions.append(found) }
    }

    // MARK: Arguments by name

    private mutating func addNamed(_ message: CustomizationMessage, _ source: Source) {
        for use in message.argumentUses {
            namedSource = namedSource ?? source
            if !named.contains(where: { $0.name == use.name }) { named.append((use.name, Argument())) }
            guard let index = named.firstIndex(where: { $0.name == use.name }) else { continue }
            let kind: MessageParameter.Kind
            switch use.kind {
            case .select: kind = .text
            case .number: kind = .number
            case .plural, .ordinal: kind = .integer
            case .plain, .date, .amount: continue
            }
            guard let first = named[index].argument.uses.first else {
                named[index].argument.uses = [(kind, source)]
                continue
            }
            if (first.kind == .text) != (kind == .text) {
                contradict(source, use.name, kind, first.kind, in: first.source)
            } else if kind == .integer {
                // `{count}` next to `{count, plural, …}` is an integer.
                named[index].argument.uses = [(kind, source)]
            }
        }
    }
}

extension MessageParameter.Kind {
    fileprivate var article: String {
        switch self {
        case .text: "a text"
        case .integer: "a whole number"
        case .number: "a number"
        case .any: "any value"
        }
    }
}

extension PrintfFormat.PlaceholderType.Kind {
    /// The kind of the argument; nil for `%@`, which displays every value.
    fileprivate var parameterKind: MessageParameter.Kind? {
        switch self {
        case .object: nil
        case .string, .character: .text
        case .integer, .unsigned: .integer
        case .float: .number
        case .pointer, .variable: .any
        }
    }
}
