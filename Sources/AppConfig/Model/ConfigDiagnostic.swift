/// A problem that doesn't prevent loading or reading, such as a missing optional file or a malformed value.
public struct ConfigDiagnostic: Hashable, Sendable, CustomStringConvertible {
    /// The kind of a diagnostic; kinds may be added, so a `switch` needs a `default`.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        /// An optional file doesn't exist.
        public static var missingSource: Kind { Kind(name: "missingSource") }
        /// A dictionary and a value of another type have the same key; the stronger layer wins.
        public static var kindConflict: Kind { Kind(name: "kindConflict") }
        /// A literal key such as `a.b` hides the nested value at the path `a.b`.
        public static var hiddenByLiteralKey: Kind { Kind(name: "hiddenByLiteralKey") }
        /// A dictionary has a duplicate key; the last value wins.
        public static var duplicateKey: Kind { Kind(name: "duplicateKey") }
        /// A variable, an argument or a file sets an unknown key.
        public static var unknownKey: Kind { Kind(name: "unknownKey") }
        /// A value had the wrong type, and a getter returned its default.
        public static var defaultUsed: Kind { Kind(name: "defaultUsed") }
        /// After a reload, the values don't match a type of settings, whose last values stay current.
        public static var invalidSettings: Kind { Kind(name: "invalidSettings") }
        /// The system provides no events for the files, so they are polled.
        public static var watchingByPolling: Kind { Kind(name: "watchingByPolling") }

        /// The kind's name, such as `kindConflict`.
        public var description: String { name }
    }

    /// The kind of the diagnostic.
    public let kind: Kind
    /// The path of the affected value, if there is one.
    public let key: ConfigPath?
    /// The file and line, variable or argument, if there is one.
    public let location: ConfigLocation?
    /// The message, without the key and the location.
    public let message: String

    package init(_ kind: Kind, key: ConfigPath? = nil, location: ConfigLocation? = nil, message: String) {
        self.kind = kind
        self.key = key
        self.location = location
        self.message = message
    }

    /// The message with the key and the location, in one line.
    public var description: String {
        (key.map { "\($0): " } ?? "") + message + (location.map { " (\($0))" } ?? "")
    }
}
