/// A problem that did not prevent loading or reading, such as a missing optional file or a default used for a bad value.
public struct ConfigDiagnostic: Hashable, Sendable, CustomStringConvertible {
    /// The kind of a diagnostic; kinds may be added, so a `switch` needs a `default`.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        /// An optional file is not there.
        public static var missingSource: Kind { Kind(name: "missingSource") }
        /// A dictionary and a value of another kind have the same key; the stronger layer wins.
        public static var kindConflict: Kind { Kind(name: "kindConflict") }
        /// A literal key such as `a.b` hides the nested value at the path `a.b`.
        public static var hiddenByLiteralKey: Kind { Kind(name: "hiddenByLiteralKey") }
        /// A dictionary repeats a key; the last value wins.
        public static var duplicateKey: Kind { Kind(name: "duplicateKey") }
        /// A variable, an argument or a file sets a key that is not known.
        public static var unknownKey: Kind { Kind(name: "unknownKey") }
        /// A value had the wrong type and a getter returned its default.
        public static var defaultUsed: Kind { Kind(name: "defaultUsed") }
        /// Values of a reload do not fit a type of settings, which keeps its last values.
        public static var invalidSettings: Kind { Kind(name: "invalidSettings") }
        /// The system has no events for the files, so they are polled.
        public static var watchingByPolling: Kind { Kind(name: "watchingByPolling") }

        /// The kind's name, such as `kindConflict`.
        public var description: String { name }
    }

    /// The kind of the diagnostic.
    public let kind: Kind
    /// The path concerned, if one is.
    public let key: ConfigPath?
    /// The file and line, variable or argument concerned, if one is.
    public let location: ConfigLocation?
    /// The diagnostic in words, without key and place.
    public let message: String

    /// Creates a diagnostic.
    public init(_ kind: Kind, key: ConfigPath? = nil, location: ConfigLocation? = nil, message: String) {
        self.kind = kind
        self.key = key
        self.location = location
        self.message = message
    }

    /// The diagnostic with key and place in one line.
    public var description: String {
        (key.map { "\($0): " } ?? "") + message + (location.map { " (\($0))" } ?? "")
    }
}
