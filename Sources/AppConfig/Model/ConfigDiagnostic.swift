/// Something a configuration wants to be known that did not stop it: a missing optional file, a kind conflict, a default
/// returned in place of a malformed value.
public struct ConfigDiagnostic: Hashable, Sendable, CustomStringConvertible {
    /// What kind of remark it is; kinds may be added, so a `switch` needs a `default`.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        /// An optional file is not there.
        public static var missingSource: Kind { Kind(name: "missingSource") }
        /// A dictionary and another kind of value met at one key; the higher layer's won.
        public static var kindConflict: Kind { Kind(name: "kindConflict") }
        /// A literal key such as `a.b` hides the nested value at the path `a.b`.
        public static var hiddenByLiteralKey: Kind { Kind(name: "hiddenByLiteralKey") }
        /// A dictionary holds the same key twice and the later was taken.
        public static var duplicateKey: Kind { Kind(name: "duplicateKey") }
        /// A variable, an argument or a file sets a key that is not known.
        public static var unknownKey: Kind { Kind(name: "unknownKey") }
        /// A value had the wrong type and a getter returned its default.
        public static var defaultUsed: Kind { Kind(name: "defaultUsed") }
        /// Files cannot be watched by events, so they are looked at on a timer.
        public static var watchingByPolling: Kind { Kind(name: "watchingByPolling") }

        /// The kind's name, such as `kindConflict`.
        public var description: String { name }
    }

    /// What kind of remark it is.
    public let kind: Kind
    /// The path concerned, if one is.
    public let key: ConfigPath?
    /// The file and line, variable or argument concerned, if one is.
    public let origin: ConfigOrigin?
    /// The remark in words, without key and place.
    public let message: String

    /// Creates a remark.
    public init(_ kind: Kind, key: ConfigPath? = nil, origin: ConfigOrigin? = nil, message: String) {
        self.kind = kind
        self.key = key
        self.origin = origin
        self.message = message
    }

    /// The remark with key and place in one line.
    public var description: String {
        (key.map { "\($0): " } ?? "") + message + (origin.map { " (\($0))" } ?? "")
    }
}
