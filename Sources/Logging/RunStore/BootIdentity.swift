/// The identity of one boot of the machine: 16 bytes that are the same in every process of the boot.
///
/// Most systems provide a random UUID for each boot. Others provide the time of the boot, which changes when the clock
/// is corrected, so boot times are compared with a tolerance.
struct BootIdentity: Equatable, Sendable {
    let bytes: [UInt8]

    /// Marks the eight bytes before a boot time.
    private static let timeMark = Array("BOOTTIME".utf8)
    /// The maximum difference of two boot times of one boot, in microseconds.
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

    /// Whether a process that recorded `other` ran in this boot.
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
