#if canImport(Darwin)
    import Darwin
#else
    internal import AshlarCore
#endif

/// Distinguishes a process from a later one with the same ID, by its start time and the boot of the machine.
enum ProcessIdentity {
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
            guard let text = try? WholeFile.read("/proc/\(pid)/stat", limit: 4096),
                let end = text.lastIndex(of: UInt8(ascii: ")"))
            else { return nil }
            let fields = text[(end + 1)...].split(separator: UInt8(ascii: " "))
            guard fields.count > 19, let state = fields[0].first, !"ZX".utf8.contains(state) else { return nil }
            return UInt64(String(decoding: fields[19], as: UTF8.self))
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
            let text = (try? WholeFile.read("/proc/sys/kernel/random/boot_id", limit: 64)) ?? []
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
