/// The identity of one boot of the machine: 16 bytes that every process of the boot computes.
///
/// Most systems publish a random UUID for each boot. Others publish the time of the boot, which moves when the clock is
/// corrected, so two boot times match within a tolerance.
struct BootIdentity: Equatable, Sendable {
    let bytes: [UInt8]

    /// Marks the eight bytes before a boot time.
    private static let timeMark = Array("BOOTTIME".utf8)
    /// How far two boot times of one boot may differ, in microseconds.
    static let tolerance: Int64 = 60_000_000

    /// Creates the identity from the UUID of the boot, or else from its time in microseconds since 1970.
    ///
    /// Without either, all bytes are 0.
    init(session: String?, time: Int64?) {
        let digits = (session ?? "").compactMap(\.hexDigitValue)
        if digits.count == 32 {
            bytes = stride(from: 0, to: 32, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
        } else if let time {
            bytes = Self.timeMark + (0..<8).map { UInt8(truncatingIfNeeded: time >> (8 * $0)) }
        } else {
            bytes = [UInt8](repeating: 0, count: 16)
        }
    }

    /// Whether a process that noted `other` ran in this boot.
    func matches(_ other: [UInt8]) -> Bool {
        if bytes == other { return true }
        guard let own = Self.time(of: bytes), let time = Self.time(of: other) else { return false }
        return own.subtractingReportingOverflow(time).partialValue.magnitude <= UInt64(Self.tolerance)
    }

    private static func time(of bytes: [UInt8]) -> Int64? {
        guard bytes.count == 16, bytes.starts(with: timeMark) else { return nil }
        return bytes[8...].reversed().reduce(0) { $0 << 8 | Int64($1) }
    }
}
