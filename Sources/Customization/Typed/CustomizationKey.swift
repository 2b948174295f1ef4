internal import AshlarCore

/// A key with the type of its value, hashed once.
///
/// Declare keys once, as statics, and read through them:
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
    /// The key's text.
    public let name: String
    /// The table that the key is read from.
    public let table: String?
    let hash: UInt64

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - name: The key's text.
    ///   - table: The table that the key is read from; `Localizable` if nil.
    public init(_ name: String, table: String? = nil) {
        (self.name, self.table) = (name, table)
        hash = name.withKeyBytes { ByteHash.hash($0) }
    }

    /// Creates a key of the table `Localizable`.
    public init(stringLiteral name: String) { self.init(name) }

    /// Whether two keys have the same text and table.
    public static func == (a: Self, b: Self) -> Bool { a.hash == b.hash && a.name == b.name && a.table == b.table }

    /// Feeds the hash that was made once.
    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// A type that values can be read as.
public protocol CustomizationReadable: Sendable {
    /// What messages call the type, such as "whole number".
    static var customizationTypeName: String { get }

    /// Makes a value of what a layer holds, or nil if it does not read as this type.
    ///
    /// - Parameter reading: What the layer holds, with the ways in which it may be read.
    init?(_ reading: CustomizationReading)
}

/// What a layer holds for a key, with the ways in which it may be read.
public struct CustomizationReading: Sendable {
    /// The value as the layer holds it; for an alias, the value at its end.
    public let value: CustomizationValue
    /// How the layer writes colours.
    public let colors: ColorDialect
    /// How texts are read as numbers and booleans.
    public let numbers: NumberSpelling
    let typed: ComposedTable.Typed?

    /// The value as text, or nil if it is data, a list or a dictionary.
    public var text: String? { value.text }
    /// The value as a whole number, or nil.
    public var int: Int64? { typed.flatMap { $0.parts.contains(.int) ? $0.int : nil } }
    /// The value as a number, or nil.
    public var double: Double? { typed.flatMap { $0.parts.contains(.double) ? $0.double : nil } }
    /// The value as a boolean, or nil.
    public var bool: Bool? { typed.flatMap { $0.parts.contains(.bool) ? $0.flag : nil } }
    /// The value as a colour, or nil.
    public var color: RGBAColor? { typed.flatMap { $0.parts.contains(.color) ? $0.color : nil } }
    /// The items of a list, each read the same way, or nil if it is none.
    public var list: [CustomizationReading]? {
        guard case .list(let items) = value else { return nil }
        return items.map {
            CustomizationReading(
                value: $0, colors: colors, numbers: numbers,
                typed: TypedDecoding.decode($0, dialect: colors, numbers: numbers))
        }
    }
}

extension String: CustomizationReadable {
    /// "text".
    public static var customizationTypeName: String { "text" }
    /// Takes texts, numbers, booleans and colours.
    public init?(_ reading: CustomizationReading) {
        guard let text = reading.text else { return nil }
        self = text
    }
}

extension Int: CustomizationReadable {
    /// "whole number".
    public static var customizationTypeName: String { "whole number" }
    /// Takes whole numbers that fit.
    public init?(_ reading: CustomizationReading) {
        guard let number = reading.int, let int = Int(exactly: number) else { return nil }
        self = int
    }
}

extension Double: CustomizationReadable {
    /// "number".
    public static var customizationTypeName: String { "number" }
    /// Takes numbers.
    public init?(_ reading: CustomizationReading) {
        guard let number = reading.double else { return nil }
        self = number
    }
}

extension Float: CustomizationReadable {
    /// "number".
    public static var customizationTypeName: String { "number" }
    /// Takes numbers that do not overflow.
    public init?(_ reading: CustomizationReading) {
        guard let number = reading.double, Float(number).isFinite else { return nil }
        self = Float(number)
    }
}

extension Bool: CustomizationReadable {
    /// "boolean".
    public static var customizationTypeName: String { "boolean" }
    /// Takes booleans, and texts that spell one.
    public init?(_ reading: CustomizationReading) {
        guard let flag = reading.bool else { return nil }
        self = flag
    }
}

extension RGBAColor: CustomizationReadable {
    /// "colour".
    public static var customizationTypeName: String { "colour" }
    /// Takes colours in the layer's dialect.
    public init?(_ reading: CustomizationReading) {
        guard let color = reading.color else { return nil }
        self = color
    }
}

extension Array: CustomizationReadable where Element: CustomizationReadable {
    /// "list of" and what messages call the elements.
    public static var customizationTypeName: String { "list of \(Element.customizationTypeName)" }
    /// Takes lists whose items all read as the element's type.
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
    /// "value".
    public static var customizationTypeName: String { "value" }
    /// Takes any value.
    public init?(_ reading: CustomizationReading) { self = reading.value }
}
