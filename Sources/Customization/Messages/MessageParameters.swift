/// An argument that a message takes, for generated code.
package struct MessageParameter: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case text
        case integer
        case number
        /// A value that is printed as it is, a date, or uses that differ.
        case any
    }

    /// The name in the message; nil for an argument by position.
    package let name: String?
    package let kind: Kind
}

extension CustomizationMessage {
    /// Whether the text is one in the notation of ICU MessageFormat that has arguments.
    package static func hasICUArguments(_ text: String) -> Bool {
        let message = CustomizationMessage(icu: text)
        return text.utf8.contains(UInt8(ascii: "{")) && message.problems.isEmpty && !message.argumentUses.isEmpty
    }

    /// The arguments of an ICU message in the order of their first use.
    package var namedParameters: [MessageParameter] {
        var (names, kinds): ([String], [String: MessageParameter.Kind]) = ([], [:])
        for use in argumentUses {
            let kind: MessageParameter.Kind =
                switch use.kind {
                case .select: .text
                case .number: .number
                case .plural, .ordinal: .integer
                case .plain, .date: .any
                }
            guard let known = kinds[use.name] else {
                names.append(use.name)
                kinds[use.name] = kind
                continue
            }
            if known != kind { kinds[use.name] = Self.common(known, kind) }
        }
        return names.map { MessageParameter(name: $0, kind: kinds[$0] ?? .any) }
    }

    /// The kind that fits both uses: `{count}` next to `{count, plural, …}` is an integer.
    private static func common(_ first: MessageParameter.Kind, _ second: MessageParameter.Kind) -> MessageParameter.Kind
    {
        if first == .any { return second }
        return second == .any ? first : first == .text || second == .text ? .any : .integer
    }

    /// The arguments of a text with `printf` placeholders or of a plural message, in order of position.
    package var positionalParameters: [MessageParameter] {
        let message = compiled
        var (kinds, last): ([Int: MessageParameter.Kind], Int) = ([:], 0)
        func add(_ kind: MessageParameter.Kind, at position: Int) {
            kinds[position] = kinds[position].map { $0 == kind ? kind : .any } ?? kind
            last = max(last, position)
        }
        func walk(_ pieces: [CompiledMessage.Piece]) {
            for piece in pieces {
                switch piece {
                case .placeholder(let placeholder, let position) where position > 0:
                    for (star, _) in placeholder.uses.dropLast() { add(.integer, at: star) }
                    add(Self.kind(of: placeholder.type.kind), at: position)
                case .variable(_, let number, let position):
                    guard message.variables.indices.contains(number) else { continue }
                    let isNumber = message.variables[number].display.map { $0.type.kind == .float } ?? false
                    add(isNumber ? .number : .integer, at: position)
                default: break
                }
            }
        }
        walk(message.body.pieces)
        for form in message.variables.flatMap(\.forms.values) { walk(form.pieces) }
        return (0..<last).map { index in
            let name = message.names.indices.contains(index) ? message.names[index] : ""
            let isNamed = !name.isEmpty && Int(name) == nil
            return MessageParameter(name: isNamed ? name : nil, kind: kinds[index + 1] ?? .any)
        }
    }

    private static func kind(of kind: PrintfFormat.PlaceholderType.Kind) -> MessageParameter.Kind {
        switch kind {
        case .object, .string, .character: .text
        case .integer, .unsigned: .integer
        case .float: .number
        default: .any
        }
    }
}
