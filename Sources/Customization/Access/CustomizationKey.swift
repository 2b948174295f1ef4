/// A key and the type of its value.
///
/// Declare keys as static members, and read values with them:
///
/// ```swift
/// extension CustomizationKey where Value == RGBAColor {
///     static var tabBar: Self { Self("TabBarColor") }
/// }
/// let strings = Customization(path: "Resources")
/// let color = strings[.tabBar] ?? .black
/// print(color)
/// ```
public struct CustomizationKey<Value: CustomizationReadable>: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The text of the key.
    package let name: String
    /// The name of the table; `Localizable` if nil.
    package let table: String?

    /// Creates a key.
    public init(_ name: String, table: String? = nil) {
        self.name = name
        self.table = table
    }

    /// Creates a key in the table `Localizable`.
    public init(stringLiteral name: String) { self.init(name) }
}

/// A type of values that can be read.
public protocol CustomizationReadable: Sendable {
    /// Creates a value; returns nil if the layer's value can't be read as this type.
    ///
    /// - Parameter reading: The layer's value with its interpretations.
    init?(_ reading: CustomizationReading)
}

/// The value of a key in a layer, with its interpretations.
public struct CustomizationReading: Sendable {
    /// The value in the layer; for an alias, the value that it refers to.
    public let value: CustomizationValue
    let colors: ColorDialect
    let numbers: NumberSpelling
    /// The alpha of another key by which that of a color is multiplied.
    var alpha: Float = 1

    /// The value as an integer; nil if it isn't one.
    var int: Int64? { value.int(numbers) }
    /// The value as a number; nil if it isn't one.
    var double: Double? { value.double(numbers) }
    /// The value as a boolean; nil if it isn't one.
    var bool: Bool? { value.bool(numbers) }
    /// The value as a color; nil if it isn't one.
    var color: RGBAColor? { value.color(colors).map { $0.withAlpha($0.alpha * alpha) } }
    /// The elements of a list, each with its interpretations; nil if the value isn't a list.
    var list: [CustomizationReading]? {
        guard case .list(let items) = value else { return nil }
        return items.map { CustomizationReading(value: $0, colors: colors, numbers: numbers) }
    }
}

extension String: CustomizationReadable {
    /// Accepts strings, numbers, Booleans and colors.
    public init?(_ reading: CustomizationReading) {
        guard let text = reading.value.text else { return nil }
        self = text
    }
}

extension Int: CustomizationReadable {
    /// Accepts integers in the range of `Int`.
    public init?(_ reading: CustomizationReading) {
        guard let number = reading.int, let int = Int(exactly: number) else { return nil }
        self = int
    }
}

extension Double: CustomizationReadable {
    /// Accepts numbers.
    public init?(_ reading: CustomizationReading) {
        guard let number = reading.double else { return nil }
        self = number
    }
}

extension Bool: CustomizationReadable {
    /// Accepts Booleans, and strings that are read as Booleans.
    public init?(_ reading: CustomizationReading) {
        guard let flag = reading.bool else { return nil }
        self = flag
    }
}

extension RGBAColor: CustomizationReadable {
    /// Accepts colors in the layer's notation.
    public init?(_ reading: CustomizationReading) {
        guard let color = reading.color else { return nil }
        self = color
    }
}

extension Array: CustomizationReadable where Element: CustomizationReadable {
    /// Accepts lists whose elements can all be read as the element type.
    public init?(_ reading: CustomizationReading) {
        guard let items = reading.list else { return nil }
        var elements: [Element] = []
        for item in items {
            guard let element = Element(item) else { return nil }
            elements.append(element)
        }
        self = elements
    }
}

extension CustomizationValue: CustomizationReadable {
    /// Accepts any value.
    public init?(_ reading: CustomizationReading) { self = reading.value }
}

private protocol ReadableList {
    static var element: any CustomizationReadable.Type { get }
}

extension Array: ReadableList where Element: CustomizationReadable {
    fileprivate static var element: any CustomizationReadable.Type { Element.self }
}

extension CustomizationError {
    /// Returns the name of a type in messages, such as "whole number".
    static func name(of type: any CustomizationReadable.Type) -> String {
        switch type {
        case is String.Type: "text"
        case is Int.Type: "whole number"
        case is Double.Type: "number"
        case is Bool.Type: "boolean"
        case is RGBAColor.Type: "color"
        case is CustomizationValue.Type: "value"
        case let list as any ReadableList.Type: "list of \(name(of: list.element))"
        default: "\(type)"
        }
    }
}

/// A key of a text with its arguments.
///
/// Generated code declares texts with it, so that a missing argument or one of the wrong type is an error of the compiler:
///
/// ```swift
/// enum Strings {
///     static let title = CustomizationText("title")
///     static func notes(count: Int) -> CustomizationText { CustomizationText("notes.count", [count]) }
/// }
/// let strings = Customization(layers: [CustomizationLayer(overrides: ["notes.count": "%d notes"])])
/// print(strings[Strings.notes(count: 3)])  // 3 notes
/// ```
public struct CustomizationText: Hashable, Sendable {
    private enum Values: Hashable {
        case plain
        case ordered([FormatValue])
        case named([String: FormatValue])
    }

    private let key: String
    /// The name of the table; `Localizable` if nil.
    private let table: String?
    private let values: Values

    /// Creates a text whose values are in the order of the base language's placeholders.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - values: The values; nil for a text without placeholders, which is read as it is.
    ///   - table: The name of the table; `Localizable` if nil.
    public init(_ key: String, _ values: [any FormatArgument]? = nil, table: String? = nil) {
        self.key = key
        self.table = table
        self.values = values.map { .ordered($0.map(\.formatValue)) } ?? .plain
    }

    /// Creates a text whose values have the names of an ICU message's arguments.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - values: The values by name.
    ///   - table: The name of the table; `Localizable` if nil.
    public init(_ key: String, named values: [String: any FormatArgument], table: String? = nil) {
        self.key = key
        self.table = table
        self.values = .named(values.mapValues(\.formatValue))
    }

    /// Returns the text with its values; see ``Customization/format(_:_:table:)``.
    fileprivate func formatted(in strings: Customization) -> String {
        switch values {
        case .plain:
            do {
                return try strings.value(CustomizationKey<String>(key, table: table))
            } catch {
                // A text that depends on the device is a message.
                guard error.code == .malformed else { return strings.string(key, table: table) }
                return strings.formatted(key, isICU: false, table) { $0.formatted([], language: $1) }
            }
        case .ordered(let values):
            return strings.formatted(key, isICU: false, table) { $0.formatted(values, language: $1) }
        case .named(let values):
            return strings.formatted(key, isICU: true, table) { $0.formatted(named: values, language: $1) }
        }
    }
}

extension Customization {
    /// The text of a key with its arguments; see ``string(_:table:)``, ``format(_:_:table:)`` and ``message(_:_:table:)``.
    public subscript(text: CustomizationText) -> String { text.formatted(in: self) }
}
