import AshlarCore
import AshlarTooling

/// The words of a command line, checked by the table of commands.
struct Invocation: Sendable {
    private var values: [String: [String]] = [:]
    /// The words that aren't options.
    private(set) var operands: [String] = []
    /// The words after `--`, for a program that the command imitates.
    private(set) var programArguments: [String] = []

    /// Parses the words of a command.
    ///
    /// `--name value` and `--name=value` are the same, and so are `-n value` and `-nvalue`. Switches with letters can be
    /// joined, as in `-ab`. `--` ends the options.
    init(_ words: some Sequence<String>, of command: Command) throws(ToolError) {
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            if word == "--" {
                if command.takesProgramArguments, operands.count >= command.requiredCount {
                    programArguments += rest
                } else {
                    operands += rest
                }
                break
            } else if word.hasPrefix("--") {
                try readLong(word, &rest, command.allOptions)
            } else if word.hasPrefix("-"), word != "-" {
                try readShort(word.dropFirst(), &rest, command.allOptions)
            } else {
                operands.append(word)
            }
        }
        try check(command)
    }

    private mutating func readLong(
        _ word: String, _ rest: inout ArraySlice<String>, _ options: [Option]
    ) throws(ToolError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let option = options.first(where: { $0.name == parts[0] }) else {
            throw .unknown("option", parts[0], among: options.map(\.name))
        }
        if option.value == nil, parts.count == 2 { throw .misuse("\(option.name) takes no value") }
        try add(option, parts.count == 2 ? parts[1] : nil, &rest)
    }

    private mutating func readShort(
        _ letters: Substring, _ rest: inout ArraySlice<String>, _ options: [Option]
    ) throws(ToolError) {
        var letters = letters
        while let letter = letters.popFirst() {
            guard let option = options.first(where: { $0.letter == letter }) else {
                throw .unknown("option", "-\(letter)", among: options.compactMap { $0.letter.map { "-\($0)" } })
            }
            if option.value != nil, !letters.isEmpty {
                try add(option, String(letters), &rest)
                return
            }
            try add(option, nil, &rest)
        }
    }

    private mutating func add(
        _ option: Option, _ given: String?, _ rest: inout ArraySlice<String>
    ) throws(ToolError) {
        guard option.value != nil else { return values[option.name, default: []].append("") }
        guard let value = given ?? rest.popFirst() else { throw .misuse("\(option.name) needs a value") }
        try Self.check(value, option.kind, option.name, what: option.value ?? option.name)
        values[option.name, default: []].append(value)
    }

    /// Checks the number and the kinds of the operands.
    private func check(_ command: Command) throws(ToolError) {
        if operands.count < command.requiredCount {
            throw .misuse("missing argument \(command.operands[operands.count].name)")
        }
        for (number, word) in operands.enumerated() {
            guard let operand = number < command.operands.count ? command.operands[number] : command.operands.last,
                number < command.operands.count || operand.isRepeatable
            else { throw .misuse("unexpected argument '\(word)'") }
            try Self.check(word, operand.kind, operand.name, what: operand.name)
        }
    }

    private static func check(_ word: String, _ kind: WordKind, _ name: String, what: String) throws(ToolError) {
        switch kind {
        case .number:
            guard let number = Int(word), number > 0 else { throw .misuse("\(name) needs a positive number") }
        case .language:
            guard LanguageTag(word) != nil else { throw .misuse("'\(word)' is not a language tag") }
        case .choice(let choices):
            guard choices.contains(word) else { throw .unknown(what.lowercased(), word, among: choices) }
        case .text, .known, .file, .folder: break
        }
    }

    /// The operand at a position; nil if it was omitted.
    func operand(_ position: Int) -> String? { position < operands.count ? operands[position] : nil }

    /// The last value of an option.
    func value(of option: String) -> String? { values[option]?.last }

    /// All values of an option in order.
    func values(of option: String) -> [String] { values[option] ?? [] }

    func has(_ option: String) -> Bool { values[option] != nil }

    /// The last value of an option whose kind is `.number`.
    func number(of option: String) -> Int? { value(of: option).flatMap { Int($0) } }

    /// The values of an option whose kind is `.language`.
    func languages(of option: String) -> [LanguageTag] { values(of: option).compactMap { LanguageTag($0) } }
}

extension Command {
    /// The number of operands that can't be omitted.
    fileprivate var requiredCount: Int { operands.prefix { !$0.isOptional }.count }
}
