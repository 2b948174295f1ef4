// A program that logs and ends in many ways; the tests of AshlarLogging start it and check its files.
//
//     AshlarLoggingTestChild <command> <folder> [key=value ...]

import AshlarLogging

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

let arguments = CommandLine.arguments
guard arguments.count > 2 else {
    print("usage: AshlarLoggingTestChild <command> <folder> [key=value ...]")
    exit(2)
}
// The tests start this program from threads that block all signals, and it would inherit that.
var signals = sigset_t()
sigfillset(&signals)
sigprocmask(SIG_UNBLOCK, &signals, nil)
// A shell ignores these in a program that it starts in the background, and children inherit that.
for number in [SIGHUP, SIGINT, SIGQUIT] { signal(number, SIG_DFL) }
let child = Child(folder: arguments[2], options: Array(arguments[3...]))
switch arguments[1] {
case "forever": child.logForever()
case "write": child.write()
case "end": child.logAndEnd()
case "prior": child.tellPriorRun()
case "first": child.logWithoutStart()
case "early": child.logEarlyAndLate()
case "environment": child.tellWhatTheEnvironmentEnables()
case "stderr": child.logToStandardError()
case "times": child.tellLocalTimes()
case "limit": child.exceedFileSizeLimit()
case "pipe": child.logIntoBrokenPipe()
case "closed": child.logWithClosedDescriptors()
case "full": child.fillTheDisk()
case "handler": child.logFromSignalHandler()
case "replace": child.logAndReplaceItself()
case "move": child.logAndChangeFolder()
case "cycles": child.startAndEndManyTimes()
case "tasks": await child.logInManyTasks()
case "live": child.logWhileOthersStart()
case "restart": child.startTwiceAndCrash()
case "loggers": await child.createLoggersWhileThresholdsChange()
default:
    print("unknown command \(arguments[1])")
    exit(2)
}
