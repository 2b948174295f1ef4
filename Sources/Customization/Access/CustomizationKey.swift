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
    public let name: String
    /// The name of the table; `Localizable` if nil.
    public let table: String?

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
    let typed: ComposedTable.Typed?

    /// The value as text, or nil if it is data, a list or a dictionary.
    public var text: String? { value.text }
    /// The value as an integer; nil if it isn't one.
    public var int: Int64? { typed?.int }
    /// The value as a number; nil if it isn't one.
    public var double: Double? { typed?.double }
    /// The value as a boolean; nil if it isn't one.
    public var bool: Bool? { typed?.bool }
    /// The value as a color; nil if it isn't one.
    public var color: RGBAColor? { typed?.color }
    /// The elements of a list, each with its interpretations; nil if the value isn't a list.
    public var list: [CustomizationReading]? {
        guard case .list(let items) = value else { return nil }
        return items.map {
            CustomizationReading(
                value: $0, colors: colors, numbers: numbers,
                typed: ComposedTable.Typed($0, dialect: colors, numbers: numbers))
        }
    }
}

extension String: CustomizationReadable {
    /// Accepts strings, numbers, Booleans and colors.
    public init?(_ reading: CustomizationReading) {
        guard let text = reading.text else { return nil }
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

extension Float: CustomizationReadable {
    /// Accepts numbers in the range of `Float`.
    public init?(_ reading: CustomizationReading) {
        guard let number = reading.double, Float(number).isFinite else { return nil }
        self = Float(number)
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
        case is Double.Type, is Float.Type: "number"
        case is Bool.Type: "boolean"
        case is RGBAColor.Type: "color"
        case is CustomizationValue.Type: "value"
        case let list as any ReadableList.Type: "list of \(name(of: list.element))"
        default: "\(type)"
        }
    }
}
