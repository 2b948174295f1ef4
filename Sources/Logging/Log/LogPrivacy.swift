internal import AshlarBase
internal import Synchronization

/// What is printed instead of an interpolated value.
public struct LogPrivacy: Hashable, Sendable {
    private enum Kind { case hidden, hashed }
    private let kind: Kind

    private static let reveals = Atomic<Bool>(false)
    /// Whether private values are printed, for development.
    static var revealsPrivateValues: Bool {
        get { reveals.load(ordering: .relaxed) }
        set { reveals.store(newValue, ordering: .relaxed) }
    }

    /// `<private>` is printed instead of the value.
    public static var `private`: LogPrivacy { LogPrivacy(kind: .hidden) }

    /// `<hash:1f2e…>` is printed instead of the value.
    ///
    /// The hash is equal for equal values during one run, and differs in the next run. Lines about one user can be
    /// matched without printing the user. The key of the hash is in the process's memory, so the hash doesn't protect
    /// the value from code in the process.
    public static var hash: LogPrivacy { LogPrivacy(kind: .hashed) }

    func replacement<Value>(for value: @autoclosure () -> Value) -> String {
        switch kind {
        case .hidden: return "<private>"
        case .hashed:
            // Each process seeds `Hasher` differently.
            var hasher = Hasher()
            hasher.combine(Self.text(of: value()))
            return "<hash:\(UInt64(bitPattern: Int64(hasher.finalize())).digits(16, radix: 16))>"
        }
    }

    /// Returns the value in the form of a message; an optional prints as its value or `nil`.
    static func text<Value>(of value: Value) -> String {
        guard let optional = value as? any OptionalValue else { return String(describing: value) }
        return optional.text
    }
}

private protocol OptionalValue {
    var text: String { get }
}

extension Optional: OptionalValue {
    fileprivate var text: String { map { LogPrivacy.text(of: $0) } ?? "nil" }
}

/// The notation of an interpolated integer.
public struct LogIntegerFormat: Sendable {
    private let radix: Int
    private let prefix: String
    private let digits: Int

    /// Hexadecimal with `0x`, padded with zeros to `digits`: `0x00ff`.
    public static func hex(digits: Int = 1) -> LogIntegerFormat { Self(radix: 16, prefix: "0x", digits: digits) }

    /// Decimal, padded with zeros to `digits`: `007`.
    public static func decimal(digits: Int = 1) -> LogIntegerFormat { Self(radix: 10, prefix: "", digits: digits) }

    func text(of value: some FixedWidthInteger) -> String {
        (value < 0 ? "-" : "") + prefix + value.magnitude.digits(min(digits, 256), radix: radix)
    }
}

/// The notation of an interpolated floating-point number.
public struct LogFloatFormat: Sendable {
    private let decimals: Int

    /// A fixed number of decimals, 0 to 15, rounded half away from zero: `3.14`.
    ///
    /// Numbers from 2^53, infinities and NaN print in the form of their `description`.
    public static func fixed(_ decimals: Int) -> LogFloatFormat { Self(decimals: min(max(0, decimals), 15)) }

    func text(of value: Double) -> String {
        var factor = 1.0
        for _ in 0..<decimals { factor *= 10 }
        guard value.isFinite, value.magnitude < 9_007_199_254_740_992 else { return value.description }
        var whole = UInt64(value.magnitude)
        var part = UInt64(((value.magnitude - Double(whole)) * factor).rounded())
        if part == UInt64(factor) { (whole, part) = (whole + 1, 0) }
        let sign = value < 0 && (whole > 0 || part > 0) ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(whole)" }
        let digits = String(part)
        return "\(sign)\(whole).\(String(repeating: "0", count: decimals - digits.utf8.count))\(digits)"
    }
}
