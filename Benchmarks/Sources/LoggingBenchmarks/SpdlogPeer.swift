import BenchmarkHarness

#if SPDLOG
    import CxxSpdlogPeer
#endif

/// The loops of spdlog, if Debian's libspdlog-dev and libfmt-dev are installed.
enum SpdlogPeer {
    static func open(flushed: String, buffered: String) {
        #if SPDLOG
            spdlog_open(flushed, buffered)
        #endif
    }

    static var disabled: Contender { contender("spdlog, disabled") { $0.disabled } }
    static var null: Contender { contender("spdlog, null sink") { $0.null } }
    static var memory: Contender { contender("spdlog, sink in memory") { $0.memory } }
    static var fields: Contender { contender("spdlog, three pairs in the text") { $0.fields } }
    static var flushed: Contender { contender("spdlog, flushed each line (SIGKILL loses 0)") { $0.flushed } }
    static var buffered: Contender { contender("spdlog, buffered (SIGKILL loses its buffer)") { $0.buffered } }
    static var two: Contender { contender("spdlog, flushed, 2 threads (SIGKILL loses 0)") { $0.two } }
    static var eight: Contender { contender("spdlog, flushed, 8 threads (SIGKILL loses 0)") { $0.eight } }

    private struct Loops {
        var disabled, null, memory, fields, flushed, buffered, two, eight: (Int) -> Void
    }

    private static func contender(_ name: String, _ loop: (Loops) -> (Int) -> Void) -> Contender {
        #if SPDLOG
            Contender(
                name,
                loop(
                    Loops(
                        disabled: { spdlog_disabled($0) }, null: { spdlog_null($0) }, memory: { spdlog_memory($0) },
                        fields: { spdlog_fields($0) },
                        flushed: { spdlog_flushed($0) },
                        buffered: { spdlog_buffered($0) }, two: { spdlog_flushed_by($0, 2) },
                        eight: { spdlog_flushed_by($0, 8) })))
        #else
            .missing(name, because: "libspdlog-dev and libfmt-dev are not installed")
        #endif
    }
}
