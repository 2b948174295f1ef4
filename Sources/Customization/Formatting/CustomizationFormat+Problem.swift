extension CustomizationFormat {
    /// A problem of a format string or its arguments.
    public struct Problem: Hashable, Sendable, CustomStringConvertible {
        /// The kind of problem.
        ///
        /// Codes may be added, so a `switch` needs a `default`.
        public struct Code: Hashable, Sendable, RawRepresentable {
            /// The name of the problem: words joined by hyphens.
            public let rawValue: String

            /// Creates a code from its name.
            public init(rawValue: String) { self.rawValue = rawValue }

            private init(_ name: String) { rawValue = name }

            /// A `%` without a known conversion, which is shown literally.
            public static let unknownConversion = Code("format-unknown-conversion")
            /// Some placeholders have positions and some have none.
            public static let mixedPositions = Code("format-mixed-positions")
            /// One argument is used as two types.
            public static let conflictingTypes = Code("format-conflicting-types")
            /// A width or precision above ``CustomizationFormat/largestWidth``; the placeholder is shown literally.
            public static let tooWide = Code("format-too-wide")
            /// There is no argument at the position; the placeholder is shown literally.
            public static let missingArgument = Code("format-missing-argument")
            /// The argument has another type; it is shown in its plain form.
            public static let typeMismatch = Code("format-type-mismatch")
            /// A variable without definition; the placeholder is shown literally.
            public static let unknownVariable = Code("format-unknown-variable")
            /// A variable that leads back to itself; the placeholder is shown literally.
            public static let cyclicVariable = Code("format-cyclic-variable")
            /// A variable without text for the number, not even `other`; the placeholder is shown literally.
            public static let missingCategory = Code("format-missing-category")
        }

        /// The kind of problem.
        public let code: Code
        /// The text of the placeholder.
        public let placeholder: String
        /// The offset of the placeholder in the format's UTF-8.
        public let offset: Int
        /// What was expected and what was found.
        public let message: String

        init(_ code: Code, _ placeholder: Placeholder, _ message: String) {
            self.init(code, placeholder: placeholder.text, offset: placeholder.offset, message)
        }

        init(_ code: Code, placeholder: String, offset: Int, _ message: String) {
            self.code = code
            self.placeholder = placeholder
            self.offset = offset
            self.message = message
        }

        /// The placeholder and the message.
        public var description: String { "\(placeholder): \(message)" }
    }

    /// A formatted text with the problems found.
    public struct Output: Hashable, Sendable {
        /// The text; complete even if there are problems.
        public let text: String
        /// The problems of the format and of the arguments, in the order of the text.
        public let problems: [Problem]
    }
}
