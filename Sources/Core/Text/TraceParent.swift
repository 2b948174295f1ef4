/// The position of some work in a distributed trace: the `traceparent` of W3C Trace Context.
package struct TraceParent: Hashable, Sendable, CustomStringConvertible {
    /// The identifier of the whole trace: 32 hexadecimal digits.
    package let traceID: String
    /// The identifier of this step: 16 hexadecimal digits.
    package let parentID: String
    /// The flags as received, of which only the lowest bit has a meaning here.
    private let flags: UInt8

    private init(traceID: String, parentID: String = newParentID(), flags: UInt8) {
        self.traceID = traceID
        self.parentID = parentID
        self.flags = flags
    }

    /// Creates the start of a new trace, with random identifiers.
    package init(isSampled: Bool = true) {
        self.init(traceID: UInt128.random(in: 1 ... .max).digits(32, radix: 16), flags: isSampled ? 1 : 0)
    }

    /// Parses the value of a `traceparent` field; nil if it is malformed.
    ///
    /// Only the form of the specification is accepted: lowercase hexadecimal digits, no identifier of zeros only, not the
    /// version `ff`. A later version than `00` may have more fields at the end, which are ignored.
    package init?(parsing text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        let lowercase = UInt8(ascii: "a")...UInt8(ascii: "f")
        guard parts.count >= 4, zip(parts, [2, 32, 16, 2]).allSatisfy({ $0.utf8.count == $1 }),
            parts[0] != "ff", parts[0] != "00" || parts.count == 4,
            parts[..<4].joined().utf8.allSatisfy({ $0.isDigit || lowercase.contains($0) }),
            parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" }),
            let flags = UInt8(parts[3], radix: 16)
        else { return nil }
        self.init(traceID: parts[1], parentID: parts[2], flags: flags)
    }

    private static func newParentID() -> String { UInt64.random(in: 1 ... .max).digits(16, radix: 16) }

    /// Whether the caller may have recorded the trace.
    package var isSampled: Bool { flags & 1 == 1 }

    /// Returns a new step of the same trace, with the same flags.
    package func child() -> TraceParent { TraceParent(traceID: traceID, flags: flags) }

    /// The value of the field, in version `00`.
    package var description: String { "00-\(traceID)-\(parentID)-\(flags.digits(2, radix: 16))" }
}
