#if canImport(Darwin)
    import Darwin
#else
    internal import AshlarBase
#endif

/// Distinguishes a process from a later one with the same ID, by its start time and the boot of the machine.
enum ProcessIdentity {
    /// Whether the system shows other processes to this one; an app on a phone sees only its own.
    static var seesOthers: Bool {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
            false
        #else
            true
        #endif
    }

    /// The ID of this process.
    static var current: Int32 { SystemCalls.processID }

    /// Returns the start time of a process in its system's unit, or nil if the process doesn't exist or has ended.
    static func start(of pid: Int32) -> UInt64? {
        #if canImport(Darwin)
            var info = kinfo_proc()
            var size = MemoryLayout<kinfo_proc>.stride
            var name: [Int32] = [CTL_KERN, KERN_PROC, KERN_PROC_PID, pid]
            guard sysctl(&name, 4, &info, &size, nil, 0) == 0, size > 0, info.kp_proc.p_stat != CChar(SZOMB) else {
                return nil
            }
            // `p_starttime` is a C macro, which Swift doesn't import.
            let start = info.kp_proc.p_un.__p_starttime
            return UInt64(start.tv_sec) * 1_000_000 + UInt64(start.tv_usec)
        #else
            // Field 22 of /proc/<pid>/stat, in clock ticks since boot. The name in field 2 can contain any characters.
            let text = SystemCalls.read(systemFile: "/proc/\(pid)/stat")
            guard let end = text.lastIndex(of: UInt8(ascii: ")")) else { return nil }
            let fields = text[(end + 1)...].split(separator: UInt8(ascii: " "))
            guard fields.count > 19, let state = fields[0].first else { return nil }
            // Field 20: a process whose first thread has ended looks like a zombie while other threads run.
            guard !"ZX".utf8.contains(state) || fields[17].count > 1 || fields[17].first ?? 0 > UInt8(ascii: "1") else {
                return nil
            }
            var start = fields[19]
            return start.number().map { UInt64($0) }
        #endif
    }

    /// The identity of the current boot.
    static let boot: BootIdentity = {
        #if canImport(Darwin)
            var time = timeval()
            var size = MemoryLayout<timeval>.stride
            var name: [Int32] = [CTL_KERN, KERN_BOOTTIME]
            let hasTime = sysctl(&name, 2, &time, &size, nil, 0) == 0
            return BootIdentity(
                session: text("kern.bootsessionuuid"),
                time: hasTime ? Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_usec) : nil)
        #else
            let text = SystemCalls.read(systemFile: "/proc/sys/kernel/random/boot_id")
            return BootIdentity(session: String(decoding: text, as: UTF8.self), time: nil)
        #endif
    }()

    /// Whether the process that wrote the state is still running.
    static func isRunning(_ state: RunState) -> Bool {
        guard boot.matches(state.bootID), let start = start(of: state.processID) else { return false }
        return start == state.processStart
    }

    /// Whether the process in a run's name can be its writer, because it started before the run.
    ///
    /// This decides on Apple systems if the state file is missing. `start` is in microseconds since 1970, and nil if
    /// the process isn't running.
    static func mayOwn(_ name: RunName, start: UInt64?) -> Bool {
        guard let start else { return false }
        // The tolerance of one second allows for a clock that was corrected in between.
        return start <= UInt64(clamping: name.startedAt / 1000) + 1_000_000
    }

    #if canImport(Darwin)
        /// Returns a string that the kernel provides under a name.
        private static func text(_ name: String) -> String? {
            var size = 0
            guard sysctlbyname(name, nil, &size, nil, 0) == 0, size > 0 else { return nil }
            var bytes = [UInt8](repeating: 0, count: size)
            guard sysctlbyname(name, &bytes, &size, nil, 0) == 0 else { return nil }
            return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    #endif
}

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
