internal import AshlarCore
internal import AshlarTrees

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The age of a document: its `$revision`, an integer or a date in seconds since 2001.
///
/// Nanoseconds in 128 bits represent each 64-bit integer and each date exactly, so that revisions compare exactly.
package struct ConfigRevision: Comparable, Sendable {
    private let nanoseconds: Int128

    /// Reads a value; nil if it is neither an integer nor a date to the nanosecond.
    init?(_ value: PlacedValue) {
        switch value.scalar {
        case .integer(let number)?: self.init(seconds: Int128(number))
        case .unsigned(let number)?: self.init(seconds: Int128(number))
        case .date(let date)?:
            let seconds = date.timeIntervalSinceReferenceDate
            guard let whole = Int64(exactly: seconds.rounded(.down)) else { return nil }
            self.init(seconds: Int128(whole), fraction: seconds - seconds.rounded(.down))
        case .string(let text)?:
            guard let moment = RFC3339.parse(text.utf8, allowsDateOnly: true) else { return nil }
            let fraction = text.utf8.drop { $0 != UInt8(ascii: ".") }.dropFirst()
            guard fraction.prefix(while: { $0.isDigit }).count <= 9 else { return nil }
            self.init(seconds: Int128(moment.seconds - RFC3339.secondsFrom1970To2001), fraction: moment.fraction)
        default: return nil
        }
    }

    private init(seconds: Int128, fraction: Double = 0) {
        nanoseconds = seconds * 1_000_000_000 + Int128((fraction * 1e9).rounded())
    }

    package static func < (left: ConfigRevision, right: ConfigRevision) -> Bool { left.nanoseconds < right.nanoseconds }
}
