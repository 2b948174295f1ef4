internal import AshlarCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The settings that a type declares, in the order of its properties.
struct SettingsOutline {
    struct Entry {
        let steps: [ConfigPath.Component]
        /// The type of the property; `Never` if it is unknown.
        let type: Any.Type
        let typeName: String
        /// The default value; nil for an optional property without one.
        let defaultValue: ConfigValue?
        let field: ConfigField?
        /// The settings that are the elements of a collection.
        let elements: SettingsElements?

        /// Whether the value is a dictionary with arbitrary keys.
        var isDictionary: Bool { (type as? any SettingsCollection.Type)?.wildcard == .anyKey }
    }

    private(set) var entries: [Entry] = []
    /// The default value of the whole type.
    let defaults: ConfigValue

    /// Reads the declaration of a type.
    ///
    /// - Precondition: The type is encoded as a dictionary, and its fields refer to its properties.
    init<Settings: ConfigSettings>(_ type: Settings.Type, at path: ConfigPath) {
        let root: EncodedValue
        do {
            root = try TreeEncoder.encode(Settings(), isScalar: Self.isScalar)
        } catch {
            preconditionFailure("\(type) can't be encoded: \(error)")
        }
        defaults = Self.value(of: root) ?? .dictionary([:])
        precondition(defaults.dictionary != nil, "\(type) is not encoded as a dictionary")
        let base = path.components
        var fields = Dictionary(type.fields.map { (base + $0.path.components, $0) }) { $1 }
        add(root, base, &fields, isRoot: true)
        precondition(fields.isEmpty, "\(type) has no property \(fields.values.map(\.path.description).sorted())")
    }

    private mutating func add(
        _ node: EncodedValue, _ steps: [ConfigPath.Component], _ fields: inout [[ConfigPath.Component]: ConfigField],
        isRoot: Bool = false
    ) {
        if case .object(let children) = node.content, !Self.isLeaf(node.type) {
            if !isRoot, let section = node.type as? any ConfigSettings.Type {
                for field in section.fields where fields[steps + field.path.components] == nil {
                    fields[steps + field.path.components] = field
                }
            }
            for (key, child) in children { add(child, steps + [.key(key)], &fields) }
            return
        }
        let field = fields.removeValue(forKey: steps)
        let name = (node.type as? any ConfigConvertible.Type)?.configTypeName ?? "\(node.type)"
        entries.append(
            Entry(
                steps: steps, type: node.type, typeName: name, defaultValue: Self.value(of: node),
                field: field, elements: SettingsElements(of: node.type)))
    }

    /// Whether a type that is encoded as a dictionary has arbitrary keys instead of properties.
    private static func isLeaf(_ type: Any.Type) -> Bool {
        type is any SettingsCollection.Type || type == ConfigValue.self
    }

    /// A type can contain an array of itself, so the declarations of elements end at this depth.
    private static let elementDepth = 4

    /// Returns the paths of the settings that are never printed, including those in elements.
    func secretPaths(depth: Int = elementDepth) -> [ConfigPath] {
        entries.flatMap { entry -> [ConfigPath] in
            let own = entry.field?.isSecret == true ? [ConfigPath(entry.steps)] : []
            guard depth > 0, let elements = entry.elements else { return own }
            return own
                + elements.outline.secretPaths(depth: depth - 1).map {
                    ConfigPath(entry.steps + elements.steps + $0.components)
                }
        }
    }

    /// Returns the types of the settings, for variables and arguments.
    func shape(depth: Int = elementDepth) -> ConfigShape {
        entries.reduce(into: ConfigShape.structure([:])) { shape, entry in
            var type = ConfigShape(of: entry.type)
            if depth > 0, let elements = entry.elements {
                type = elements.steps.reversed().reduce(elements.outline.shape(depth: depth - 1)) { shape, step in
                    step == .anyIndex ? .array(shape) : .dictionary(shape)
                }
            }
            shape.declare(type, at: entry.steps[...])
        }
    }

    // MARK: Values

    /// Returns the value that a type encodes; nil if it can't be encoded.
    static func value(encoding value: any Encodable) -> ConfigValue? {
        (try? TreeEncoder.encode(value, isScalar: isScalar)).flatMap(Self.value)
    }

    /// Whether a value other than a Boolean, string or number is a value of a configuration.
    private static func isScalar(_ value: any Encodable) -> Bool {
        value is ConfigValue || value is Date || value is Data || value is URL || value is Duration
    }

    /// Returns an encoded value without the properties that are `nil`.
    private static func value(of node: EncodedValue) -> ConfigValue? {
        switch node.content {
        case .empty, .null: nil
        case .scalar(let value): scalar(value)
        case .array(let elements): .array(elements.map { self.value(of: $0) ?? .null })
        case .object(let members):
            .dictionary(Dictionary(members.compactMap { key, node in self.value(of: node).map { (key, $0) } }) { $1 })
        }
    }

    private static func scalar(_ value: any Encodable) -> ConfigValue? {
        switch value {
        case let value as ConfigValue: value
        case let value as Bool: .boolean(value)
        case let value as String: .string(value)
        case let value as Double: .real(value)
        case let value as Float: .real(Double("\(value)") ?? Double(value))
        case let value as any FixedWidthInteger:
            Int64(exactly: value).map { .integer($0) } ?? UInt64(exactly: value).map { .unsigned($0) }
        case let value as Date: .date(value)
        case let value as Data: .data(value)
        case let value as URL: .string(value.absoluteString)
        case let value as Duration:
            value.components.attoseconds == 0
                ? .integer(value.components.seconds)
                : .real(Double(value.components.seconds) + Double(value.components.attoseconds) / 1e18)
        default: nil
        }
    }
}

/// The settings that are the elements of a collection, such as those of an array or of an array of arrays.
struct SettingsElements {
    /// The steps from the collection to an element: ``ConfigPath/Component/anyIndex`` or `anyKey` for each collection.
    let steps: [ConfigPath.Component]
    private let settings: any ConfigSettings.Type

    /// The settings of one element.
    var outline: SettingsOutline { Self.outline(settings) }

    /// Reads the declaration of the elements of a type; nil if they aren't settings.
    init?(of type: Any.Type) {
        var steps: [ConfigPath.Component] = []
        var type = type
        while let collection = type as? any SettingsCollection.Type {
            steps += [collection.wildcard].compactMap { $0 }
            type = collection.elementType
        }
        guard !steps.isEmpty, let settings = type as? any ConfigSettings.Type else { return nil }
        self.steps = steps
        self.settings = settings
    }

    static func outline<Settings: ConfigSettings>(_ type: Settings.Type) -> SettingsOutline {
        SettingsOutline(type, at: .root)
    }
}

/// The values of an enumeration, in messages.
enum ConfigChoices {
    /// Returns the values of all cases; none for a type that can't list them.
    static func values(of type: Any.Type) -> [ConfigValue] {
        (type as? any CaseIterable.Type).map { values(ofCases: $0) } ?? []
    }

    private static func values<Cases: CaseIterable>(ofCases type: Cases.Type) -> [ConfigValue] {
        type.allCases.compactMap { value in
            if let value = value as? any Encodable { return SettingsOutline.value(encoding: value) }
            return ((value as? any RawRepresentable)?.rawValue as? any Encodable).flatMap(
                SettingsOutline.value(encoding:))
        }
    }

    /// Returns the expectation of a message: `one of fast, safe`.
    static func expected(_ choices: [ConfigValue]) -> String {
        let shown = choices.prefix(30).map(text).joined(separator: ", ")
        return "one of " + shown + (choices.count > 30 ? ", …" : "")
    }

    /// Returns the suggestion for an invalid value: the nearest choice.
    static func hint(for value: ConfigValue, among choices: [ConfigValue]) -> String? {
        guard let given = ConfigCoercion.standard.string(value) else { return nil }
        return NearestName.find(given, among: choices.map(text)).map { "did you mean \($0)?" }
    }

    private static func text(_ value: ConfigValue) -> String { ConfigCoercion.standard.string(value) ?? "\(value)" }
}
