/// The values of a message, accessed by the number of an argument.
protocol MessageArguments {
    /// Returns the value of an argument, from 0; nil if it is missing.
    func value(at index: Int) -> FormatValue?
    /// Returns the message for a missing argument.
    func problem(ofMissing index: Int) -> String
}

/// Values in the order of the arguments.
struct PositionalArguments: MessageArguments {
    let values: [FormatValue]
    /// The position of each named argument; nil if arguments have the same numbers as the values.
    let positions: [Int]?

    func value(at index: Int) -> FormatValue? {
        guard let positions else { return values.indices.contains(index) ? values[index] : nil }
        let position = positions[index]
        return values.indices.contains(position) ? values[position] : nil
    }

    func problem(ofMissing index: Int) -> String {
        if let positions, positions[index] < 0 {
            return "the argument has a name, and the values have none"
        }
        return "argument \((positions?[index] ?? index) + 1) is missing; there are \(values.count)"
    }
}

/// Values by name.
struct NamedArguments: MessageArguments {
    let pairs: KeyValuePairs<String, any FormatArgument>
    /// The names of the message's arguments.
    let names: [String]

    private func name(_ index: Int) -> String {
        names.indices.contains(index) ? names[index] : String(index + 1)
    }

    func value(at index: Int) -> FormatValue? {
        let name = name(index)
        for pair in pairs where pair.key == name { return pair.value.formatValue }
        return nil
    }

    func problem(ofMissing index: Int) -> String {
        let given = pairs.map(\.key).joined(separator: ", ")
        return
            "argument \"\(name(index))\" is missing; there \(given.isEmpty ? "are none" : "is \(given)")"
    }
}
