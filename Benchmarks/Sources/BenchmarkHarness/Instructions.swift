import Foundation

extension BenchmarkSuite {
    /// Records the number of instructions per operation, of all threads, which other programs on the machine don't change.
    ///
    /// Valgrind runs this program with the arguments twice, with different numbers of operations; the difference is
    /// without the start of the program. Instructions in the kernel aren't counted.
    ///
    /// - Parameters:
    ///   - name: The name of the row.
    ///   - bar: The limit, if there is one.
    ///   - note: Information needed to interpret the figure.
    ///   - arguments: Returns the arguments with which this program performs a number of operations and ends.
    public mutating func instructions(
        _ name: String, bar: Bar? = nil, note: String? = nil, _ arguments: (_ operations: Int) -> [String]
    ) {
        guard isWanted(name) else { return }
        guard let count = countedInstructions(arguments) else { return print("not measured: \(name)") }
        value(name, unit: "instructions", bar: bar, note: note) { count }
    }
}

/// Returns the number of instructions per operation, or nil if Valgrind or `strip` fails or isn't installed.
private func countedInstructions(_ arguments: (Int) -> [String]) -> Double? {
    // Valgrind can't read the debug information of all compilers.
    let program = FileManager.default.temporaryDirectory.appendingPathComponent("bench-\(getpid())").path
    defer { try? FileManager.default.removeItem(atPath: program) }
    let own = Bundle.main.executablePath ?? CommandLine.arguments[0]
    guard output(of: "strip", ["--strip-debug", "-o", program, own]) != nil else { return nil }
    let options = ["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program]
    func total(_ operations: Int) -> Double? {
        let lines = output(of: "valgrind", options + arguments(operations))?.split(separator: "\n") ?? []
        let number = lines.last { $0.contains("refs:") }?.split(separator: " ").last
        return number.flatMap { Double($0.filter { $0 != "," }) }
    }
    let (few, many) = (1000, 3000)
    guard let start = total(few), let end = total(many) else { return nil }
    return (end - start) / Double(many - few)
}

/// Runs a program of the system and returns its error output; nil, with the output printed, if it fails.
private func output(of program: String, _ arguments: [String]) -> String? {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/" + program)
    process.arguments = arguments
    // Valgrind takes each byte of `rep stosb` and `rep movsb` for an instruction.
    process.environment = ProcessInfo.processInfo.environment.merging(
        ["GLIBC_TUNABLES": "glibc.cpu.x86_rep_stosb_threshold=100000:glibc.cpu.x86_rep_movsb_threshold=100000"]
    ) { _, new in new }
    process.standardError = pipe
    do { try process.run() } catch {
        print("\(program) can't be started: \(error)")
        return nil
    }
    // The methods of `FileHandle` trap if a signal interrupts them.
    var (bytes, buffer): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: 1 << 16))
    while true {
        let count = read(pipe.fileHandleForReading.fileDescriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        bytes += buffer[..<count]
    }
    process.waitUntilExit()
    let text = String(decoding: bytes, as: UTF8.self)
    if process.terminationStatus == 0 { return text }
    print(text)
    return nil
}
