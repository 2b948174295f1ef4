import Foundation

// Reads hostile documents, and prints the name of each family before it and its processor time in seconds after it.
//     AshlarCostTestChild FACTOR [NAME]: documents of one, two and four times FACTOR times the usual size, of all families
//                                        or of those whose name begins with NAME
// The last line is the maximum memory in KiB.

let factor = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1

func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }

let prefix = CommandLine.arguments.dropFirst(2).first ?? ""
for pattern in Pattern.all where pattern.name.hasPrefix(prefix) {
    write(pattern.name)
    // The first reading creates tables that are needed once.
    await pattern.read(1)
    for scale in [1, 2, 4] {
        let reading = pattern.prepare(pattern.size * scale * factor)
        var least = Double.infinity
        for _ in 0..<2 {
            let start = processorTime()
            await reading()
            least = min(least, processorTime() - start)
        }
        write("\t\(least)")
    }
    write("\n")
}
// Only Linux has this file.
let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?.split { !$0.isNumber }.first ?? "0"
write("memory\t\(peak)\n")
