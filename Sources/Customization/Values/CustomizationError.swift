/// A failure to read a value from a customization.
public struct CustomizationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    ///
    /// Codes may be added, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String { case missing, malformed, cycle, missingImage }
        private let kind: Kind

        /// No layer defines the key.
        public static var missing: Code { Code(kind: .missing) }
        /// The value can't be read as the requested type.
        public static var malformed: Code { Code(kind: .malformed) }
        /// The value is an alias that refers to itself, possibly through other aliases.
        public static var cycle: Code { Code(kind: .cycle) }
        /// No layer's folder contains the image of the key.
        package static var missingImage: Code { Code(kind: .missingImage) }

        /// The code's name.
        public var description: String { kind.rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// The key that was read.
    public let key: String
    /// The table of the read.
    package let table: String
    /// The expected type, such as "whole number".
    package let expected: String?
    /// The value in the file.
    public let found: CustomizationValue?
    /// The location of the value.
    public let location: CustomizationLocation?
    /// The keys that an alias refers to, in order.
    package let aliases: [String]

    package init(
        _ code: Code, key: String, table: String? = nil, expected: String? = nil,
        found: CustomizationValue? = nil, location: CustomizationLocation? = nil, aliases: [String] = []
    ) {
        self.code = code
        self.key = key
        self.table = table ?? "Localizable"
        self.expected = expected
        self.found = found
        self.location = location
        self.aliases = aliases
    }

    /// The message with location, key, and the expected and found values.
    public var description: String { (location.map { "\($0): " } ?? "") + message }

    private var message: String {
        switch code {
        case .missing:
            let through = aliases.isEmpty ? "" : " (reached through \(aliases.joined(separator: " → ")))"
            return "no layer defines \"\(key)\" in table \(table)\(through)"
        case .cycle:
            return "the alias of \"\(key)\" leads back to itself: \(aliases.joined(separator: " → "))"
        case .missingImage:
            return "no layer's folder contains the image of \"\(key)\""
                + (found.map { ", \($0)" } ?? "")
        default:
            return "\"\(key)\": expected \(expected ?? "another type")"
                + (found.map { ", found \($0.typeName) \($0)" } ?? "")
        }
    }

    /// The failure as a diagnostic.
    package var diagnostic: CustomizationDiagnostic {
        let kind: CustomizationDiagnostic.Code =
            switch code {
            case .missing: aliases.isEmpty ? .missingKey : .danglingAlias
            case .cycle: .aliasCycle
            case .missingImage: .missingImage
            default: .malformedValue
            }
        return CustomizationDiagnostic(
            code == .missing ? .warning : .error, kind, message,
            at: location ?? CustomizationLocation(file: table), key: key)
    }
}
