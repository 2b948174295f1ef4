/// A key of a message with its arguments.
///
/// Functions of generated code return it, so that a missing argument or one of the wrong type is an error of the compiler:
///
/// ```swift
/// enum Strings {
///     static func notes(count: Int) -> CustomizationText { CustomizationText("notes.count", [count]) }
/// }
/// let strings = Customization(layers: [CustomizationLayer(overrides: ["notes.count": "%d notes"])])
/// print(strings[Strings.notes(count: 3)])  // 3 notes
/// ```
public struct CustomizationText: Hashable, Sendable {
    /// The key.
    public let key: String
    /// The name of the table; `Localizable` if nil.
    public let table: String?
    private let values: [FormatValue]
    /// The names of the values in an ICU message; nil for values by position.
    private let names: [String]?

    /// Creates a text whose values are in the order of the base language's placeholders.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - values: The values.
    ///   - table: The name of the table; `Localizable` if nil.
    public init(_ key: String, _ values: [any FormatArgument], table: String? = nil) {
        self.key = key
        self.table = table
        self.values = values.map(\.formatValue)
        names = nil
    }

    /// Creates a text whose values have the names of an ICU message's arguments.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - values: The values by name.
    ///   - table: The name of the table; `Localizable` if nil.
    public init(_ key: String, named values: KeyValuePairs<String, any FormatArgument>, table: String? = nil) {
        self.key = key
        self.table = table
        self.values = values.map(\.value.formatValue)
        names = values.map(\.key)
    }

    /// Returns the formatted text; see ``Customization/format(_:_:table:)``.
    fileprivate func formatted(in strings: Customization) -> String {
        guard let names else { return strings.format(key, values: values, table: table) }
        let named = Dictionary(zip(names, values)) { first, _ in first }
        return strings.message(key, named: named, table: table)
    }
}

extension Customization {
    /// The formatted text of a key with its arguments; see ``format(_:_:table:)`` and ``message(_:_:table:)``.
    public subscript(text: CustomizationText) -> String { text.formatted(in: self) }
}
