/// The declared type of a value, as far as it decides how the text of a variable or an argument is read.
indirect enum ConfigShape: Sendable {
    /// A value that is written as plain text.
    case text
    case boolean
    case array(ConfigShape)
    /// A dictionary with arbitrary keys.
    case dictionary(ConfigShape)
    /// A dictionary with declared keys.
    case structure([String: ConfigShape])
    /// A value of any type: an array or a dictionary if it is written as one, otherwise text.
    case unknown

    /// Returns the shape of a type, whose nested types may declare their own shape.
    init(of type: Any.Type) {
        switch type {
        case is Bool.Type: self = .boolean
        case let type as any SettingsCollection.Type:
            let element = ConfigShape(of: type.elementType)
            switch type.wildcard {
            case .anyKey?: self = .dictionary(element)
            case nil: self = element
            default: self = .array(element)
            }
        case is ConfigValue.Type: self = .unknown
        case is any ConfigConvertible.Type, is any RawRepresentable.Type: self = .text
        default: self = .unknown
        }
    }

    /// The shape of an array's elements.
    var element: ConfigShape? {
        if case .array(let element) = self { element } else { nil }
    }

    var isArray: Bool { element != nil }

    var isBoolean: Bool {
        if case .boolean = self { true } else { false }
    }

    /// The declared keys of a structure with their shapes.
    var entries: [String: ConfigShape] {
        if case .structure(let entries) = self { entries } else { [:] }
    }

    /// Adds a declaration at a path; a type with known parts is stronger than one without.
    mutating func declare(_ shape: ConfigShape, at steps: ArraySlice<ConfigPath.Component>) {
        guard let step = steps.first else {
            switch (self, shape) {
            case (.structure, .text), (.structure, .boolean), (.structure, .unknown), (.array, .unknown),
                (.dictionary, .unknown):
                return
            case (.array(var element), .array(let new)):
                element.declare(new, at: [])
                self = .array(element)
            case (.dictionary(var element), .dictionary(let new)):
                element.declare(new, at: [])
                self = .dictionary(element)
            case (.structure(var entries), .structure(let new)):
                for (key, shape) in new { entries[key, default: .unknown].declare(shape, at: []) }
                self = .structure(entries)
            default: self = shape
            }
            return
        }
        switch step {
        case .key(let key):
            guard case .structure(var entries) = self else {
                self = .structure([:])
                return declare(shape, at: steps)
            }
            entries[key, default: .unknown].declare(shape, at: steps.dropFirst())
            self = .structure(entries)
        case .index:
            var element = element ?? .unknown
            element.declare(shape, at: steps.dropFirst())
            self = .array(element)
        }
    }
}

/// A type whose values contain values of another type, under indices or arbitrary keys.
protocol SettingsCollection {
    static var elementType: Any.Type { get }
    /// The step to an element; nil for an optional.
    static var wildcard: ConfigPath.Component? { get }
}

extension Array: SettingsCollection {
    static var elementType: Any.Type { Element.self }
    static var wildcard: ConfigPath.Component? { .anyIndex }
}

extension Set: SettingsCollection {
    static var elementType: Any.Type { Element.self }
    static var wildcard: ConfigPath.Component? { .anyIndex }
}

extension Dictionary: SettingsCollection {
    static var elementType: Any.Type { Value.self }
    static var wildcard: ConfigPath.Component? { .anyKey }
}

extension Optional: SettingsCollection {
    static var elementType: Any.Type { Wrapped.self }
    static var wildcard: ConfigPath.Component? { nil }
}
