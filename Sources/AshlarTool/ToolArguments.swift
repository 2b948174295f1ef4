/// The arguments of a command: options with and without values, and the other words in order.
struct ToolArguments {
    private var values: [String: [String]] = [:]
    private var words: [String] = []
    /// The words after `--` and other words, for a program that the command imitates.
    private(set) var programArguments: [String] = []

    /// Parses words; `--name value` and `--name=value` are the same, and `--` ends the options.
    init(
        _ arguments: some Sequence<String>, options: [ToolOption], takesProgramArguments: Bool = false
    ) throws(UsageError) {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                if takesProgramArguments, !words.isEmpty { programArguments += rest } else { words += rest }
                break
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                words.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let option = options.first(where: { $0.name == parts[0] }) else {
                throw UsageError("unknown option '\(parts[0])'", parts[0], among: options.map(\.name))
            }
            if option.value == nil {
                guard parts.count == 1 else { throw UsageError("\(option.name) takes no value") }
                values[option.name, default: []].append("")
            } else {
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                    throw UsageError("\(option.name) needs a value")
                }
                values[option.name, default: []].append(value)
            }
        }
    }

    /// The last value of an option.
    func value(of option: String) -> String? { values[option]?.last }

    /// All values of an option in order.
    func values(of option: String) -> [String] { values[option] ?? [] }

    func has(_ option: String) -> Bool { values[option] != nil }

    /// A positive number.
    func number(of option: String) throws(UsageError) -> Int? {
        guard let text = value(of: option) else { return nil }
        guard let number = Int(text), number > 0 else { throw UsageError("\(option) needs a positive number") }
        return number
    }

    /// The words that aren't options: the required words, then up to `optional` others.
    func words(_ required: String..., optional: Int = 0) throws(UsageError) -> [String] {
        if words.count < required.count { throw UsageError("missing argument \(required[words.count])") }
        guard words.count <= required.count + optional else {
            throw UsageError("unexpected argument '\(words[required.count + optional])'")
        }
        return words
    }
}
