// error: value of type 'extern_proc' has no member 'p_starttime'
// In C, `p_starttime` is a macro for a member of a union. Swift does not import it.
import Darwin

func startTime(of process: kinfo_proc) -> Int {
    process.kp_proc.p_starttime.tv_sec
}
