// A program that logs and ends in many ways; the tests of AshlarLogging start it and look at what it leaves behind.
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
let child = Child(folder: arguments[2], options: Array(arguments[3...]))
switch arguments[1] {
case "forever": child.logForever()
case "end": child.logAndEnd()
case "prior": child.tellPriorRun()
default:
    print("unknown command \(arguments[1])")
    exit(2)
}
