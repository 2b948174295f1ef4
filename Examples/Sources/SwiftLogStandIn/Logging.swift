// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The public declarations of swift-log that a handler needs, written from its documentation. An app uses the package.

/// A logger of a library.
public struct Logger {
    /// The severity of a line, the least severe first.
    public enum Level: String, CaseIterable, Comparable, Sendable {
        case trace, debug, info, notice, warning, error, critical

        public static func < (left: Level, right: Level) -> Bool {
            guard let first = allCases.firstIndex(of: left), let second = allCases.firstIndex(of: right) else {
                return false
            }
            return first < second
        }
    }

    public typealias Metadata = [String: MetadataValue]

    /// A value of metadata.
    public enum MetadataValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, Sendable {
        case string(String)
        case stringConvertible(any CustomStringConvertible & Sendable)
        case dictionary(Metadata)
        case array([MetadataValue])

        public init(stringLiteral value: String) { self = .string(value) }
    }

    /// The text of a line.
    public struct Message: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, CustomStringConvertible,
        Sendable
    {
        public let description: String
        public init(stringLiteral value: String) { description = value }
    }

    /// A source of metadata for every line.
    public struct MetadataProvider: Sendable {
        private let provide: @Sendable () -> Metadata
        public init(_ provide: @escaping @Sendable () -> Metadata) { self.provide = provide }
        public func get() -> Metadata { provide() }
    }

    private var handler: any LogHandler

    public init(label: String) { handler = LoggingSystem.factory(label) }

    public subscript(metadataKey key: String) -> MetadataValue? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    public func log(
        level: Level, _ message: @autoclosure () -> Message, error: (any Error)? = nil, metadata: Metadata? = nil,
        source: String = "Library", file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        guard level >= handler.logLevel else { return }
        handler.log(
            event: LogEvent(
                level: level, message: message(), error: error, metadata: metadata, source: source, file: file,
                function: function, line: line))
    }
}

/// A line.
public struct LogEvent: Sendable {
    public let level: Logger.Level
    public let message: Logger.Message
    public let error: (any Error)?
    public let metadata: Logger.Metadata?
    public let source: String
    public let file: String
    public let function: String
    public let line: UInt
}

/// The destination of a logger's lines.
public protocol LogHandler: Sendable {
    var metadataProvider: Logger.MetadataProvider? { get set }
    var metadata: Logger.Metadata { get set }
    var logLevel: Logger.Level { get set }
    func log(event: LogEvent)
    subscript(metadataKey key: String) -> Logger.Metadata.Value? { get set }
}

/// The factory of handlers.
public enum LoggingSystem {
    nonisolated(unsafe) static var factory: @Sendable (String) -> any LogHandler = { _ in fatalError("bootstrap first")
    }

    public static func bootstrap(_ factory: @escaping @Sendable (String) -> any LogHandler) { self.factory = factory }
}
