import Foundation

/// The processor time of this process in seconds.
func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

// Swift declares it unavailable, because other threads don't exist in the new process. This one has none.
@_silgen_name("fork") private func fork() -> pid_t

/// Runs the body in a copy of this process, and returns its ID, or -1 for a failure.
func inOwnProcess(_ body: () -> Void) -> pid_t {
    let process = fork()
    if process == 0 {
        body()
        _exit(0)
    }
    var status: Int32 = 0
    return waitpid(process, &status, 0) == process && status == 0 ? process : -1
}
