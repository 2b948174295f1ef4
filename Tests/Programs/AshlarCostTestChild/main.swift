import Foundation

// Reads hostile documents.
//     AshlarCostTestChild FACTOR [NAME]: documents of one, two and four times FACTOR times the usual size, of all families
//                                        or of those whose name begins with NAME
// It prints the name of each family before it and its processor time in seconds after it. The last line is the maximum
// memory in KiB.
//     AshlarCostTestChild steps FACTOR: the same documents, if they are read without tasks, each in a process of its own
// It prints the name of each family and the IDs of the processes that read nothing and one, two and four times the size,
// whose instructions Valgrind counts.

let arguments = CommandLine.arguments.dropFirst()

func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }

if arguments.first == "steps" {
    let factor = arguments.last.flatMap { Int($0) } ?? 1
    for pattern in Pattern.all {
        guard let prepare = pattern.reading else { continue }
        // The first readings create tables that are needed once.
        for size in 1...3 { prepare(size)() }
        let processes = [0, 1, 2, 4].map { scale in
            let reading = prepare(pattern.size * max(scale, 1) * factor)
            return inOwnProcess { if scale > 0 { reading() } }
        }
        write("\(pattern.name)\t\(processes.map(String.init).joined(separator: "\t"))\n")
    }
    exit(0)
}

let factor = arguments.first.flatMap { Int($0) } ?? 1
let prefix = arguments.dropFirst().first ?? ""
for pattern in Pattern.all where pattern.name.hasPrefix(prefix) {
    write(pattern.name)
    // The first reading creates tables that are needed once.
    await pattern.exchange(1)()
    for scale in [1, 2, 4] {
        let reading = pattern.exchange(pattern.size * scale * factor)
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
