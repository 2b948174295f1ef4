/// A failure of the event bus, its router or its service registry.
///
/// `subject` is the text in question (a topic name, a pattern, a path or a service name), and `offset` a position in it.
/// The description also states the expected and the found text, and source locations. Fields that don't apply are nil or
/// empty.
public struct EventBusError: Error, Sendable, CustomStringConvertible {
    /// The kind of a failure; codes may be added, so a `switch` over them needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name in lower camel case, such as `"malformedName"`.
        public let description: String

        /// Creates a code, to compare an error with the name of its code.
        public init(_ name: StaticString) { description = name.description }
    }

    /// The kind of the failure.
    public let code: Code
    /// The text in question: a topic name, a pattern, a path or a service name.
    public var subject: String
    /// The byte offset of the mistake in the UTF-8 of `subject`.
    public var offset: Int?
    /// The expected text or condition.
    package var expected: String?
    /// The text or condition found instead.
    package var found: String?
    /// The source location of the failure.
    package var location: EventLocation?
    /// An earlier source location with which it conflicts.
    package var otherLocation: EventLocation?
    /// The steps that led to the failure, in order: a cycle of services, or a chain of redirects.
    public var trail: [String]
    /// The underlying error, if there is one.
    public var underlying: (any Error)?

    /// Creates an error.
    package init(
        _ code: Code, subject: String, offset: Int? = nil, expected: String? = nil, found: String? = nil,
        location: EventLocation? = nil, otherLocation: EventLocation? = nil, trail: [String] = [],
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.subject = subject
        self.offset = offset
        self.expected = expected
        self.found = found
        self.location = location
        self.otherLocation = otherLocation
        self.trail = trail
        self.underlying = underlying
    }

    /// The message in one line, with all details.
    public var description: String {
        var text = "\(code) '\(subject.prefix(300))'"
        if let offset { text += " at byte \(offset)" }
        if let expected { text += ", expected \(expected)" }
        if let found { text += ", found \(found)" }
        if let location { text += " (\(location))" }
        if let otherLocation { text += ", declared at \(otherLocation)" }
        if !trail.isEmpty { text += " [\(trail.joined(separator: " -> "))]" }
        if let underlying { text += ": \(underlying)" }
        return text
    }
}

extension EventBusError.Code {
    /// The name is empty, too long, or contains an empty segment or a `*`.
    public static let malformedName = Self("malformedName")
    /// The pattern contains a misplaced `*`.
    public static let malformedPattern = Self("malformedPattern")
    /// The name is bound to another payload type on this bus.
    public static let payloadMismatch = Self("payloadMismatch")
    /// A nested trigger exceeded the depth limit of the bus and was refused.
    package static let nestedTooDeep = Self("nestedTooDeep")
    /// The owner of a watch was released, but not its bag, so the watch had to be removed.
    public static let ownerReleased = Self("ownerReleased")
    /// A call of the handler didn't end in time.
    public static let handlerRunning = Self("handlerRunning")
}

/// A location in source code, from `#fileID` and `#line`.
package struct EventLocation: Hashable, Sendable, CustomStringConvertible {
    /// The module and file, such as `"App/Login.swift"`.
    package let file: String
    /// The line, from 1.
    package let line: Int

    init(file: String, line: Int) {
        self.file = file
        self.line = line
    }

    init(_ fileID: StaticString, _ line: UInt32) { self.init(file: fileID.description, line: Int(line)) }

    /// The location in the format of a compiler, such as `"App/Login.swift:12"`.
    package var description: String { "\(file):\(line)" }
}
