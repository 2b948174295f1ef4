/// A failure to start an inspector.
public struct InspectorError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure; codes may be added, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name in lower camel case, such as `"releaseBuild"`.
        public let description: String
        private init(_ name: String) { description = name }

        /// The program is a release build, and the inspector doesn't allow these.
        public static let releaseBuild = Code("releaseBuild")
        /// The server can't listen, for example because another program uses the port.
        public static let portUnavailable = Code("portUnavailable")
        /// The app was released.
        public static let appReleased = Code("appReleased")
    }

    /// The kind of failure.
    public let code: Code
    /// The problem, in one line.
    public let reason: String

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The code and the problem.
    public var description: String { "\(code): \(reason)" }
}
