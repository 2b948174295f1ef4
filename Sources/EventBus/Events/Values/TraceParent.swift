internal import AshlarCore

/// The position of an event in a distributed trace: the `traceparent` of W3C Trace Context.
///
/// ```swift
/// let parent = try TraceParent(parsing: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
/// print(parent.traceID)  // 4bf92f3577b34da6a3ce929d0e0e4736
/// print(parent.child().traceID == parent.traceID)  // true
/// ```
public struct TraceParent: Hashable, Sendable, CustomStringConvertible {
    private let trace: UInt128
    private let parent: UInt64
    /// The flags as received, of which only the lowest bit has a meaning here.
    private let flags: UInt8

    private init(_ trace: UInt128, _ parent: UInt64, flags: UInt8) {
        self.trace = trace
        self.parent = parent
        self.flags = flags
    }

    /// Whether the caller may have recorded the trace.
    package var isSampled: Bool { flags & 1 == 1 }

    /// Creates the start of a new trace, with random identifiers.
    public init(isSampled: Bool = true) {
        self.init(Self.randomID(), Self.randomID(), flags: isSampled ? 1 : 0)
    }

    /// Parses the value of a `traceparent` header.
    ///
    /// Only the form of the specification is accepted: lowercase hexadecimal digits, no identifier of zeros only, not the
    /// version `ff`. A later version than `00` may have more fields at the end, which are ignored.
    ///
    /// - Throws: ``EventBusError`` with the code `malformedTraceParent` and the offset of the error.
    public init(parsing text: String) throws(EventBusError) {
        let bytes = Array(text.utf8)
        func error(_ offset: Int, _ expected: String) -> EventBusError {
            EventBusError(.malformedTraceParent, subject: text, offset: offset, expected: expected)
        }
        func number<Number: FixedWidthInteger>(_ range: Range<Int>) throws(EventBusError) -> Number {
            var value: Number = 0
            for at in range {
                guard at < bytes.count, let digit = bytes[at].hexValue, bytes[at] == bytes[at].asciiLowercased else {
                    throw error(at, "a lowercase hexadecimal digit")
                }
                value = value << 4 | Number(digit)
            }
            return value
        }
        func dash(_ at: Int) throws(EventBusError) {
            guard at < bytes.count, bytes[at] == UInt8(ascii: "-") else { throw error(at, "'-'") }
        }
        let version: UInt8 = try number(0..<2)
        guard version != 0xff else { throw error(0, "a version other than ff") }
        try dash(2)
        let trace: UInt128 = try number(3..<35)
        guard trace != 0 else { throw error(3, "a trace ID that isn't zero") }
        try dash(35)
        let parent: UInt64 = try number(36..<52)
        guard parent != 0 else { throw error(36, "a parent ID that isn't zero") }
        try dash(52)
        let flags: UInt8 = try number(53..<55)
        if bytes.count > 55 {
            guard version > 0 else { throw error(55, "the end") }
            try dash(55)
        }
        self.init(trace, parent, flags: flags)
    }

    private static func randomID<Number: FixedWidthInteger>() -> Number { .random(in: 1...Number.max) }

    /// The identifier of the whole trace: 32 hexadecimal digits.
    public var traceID: String { trace.digits(32, radix: 16) }

    /// The identifier of this step: 16 hexadecimal digits.
    package var parentID: String { parent.digits(16, radix: 16) }

    /// Returns a new step of the same trace, with the same flags.
    public func child() -> TraceParent { TraceParent(trace, Self.randomID(), flags: flags) }

    /// The value of the header, in version `00`.
    public var description: String { "00-\(traceID)-\(parentID)-\(flags.digits(2, radix: 16))" }
}

extension EventBusError.Code {
    /// The text isn't a `traceparent` of W3C Trace Context.
    package static let malformedTraceParent = Self("malformedTraceParent")
}
