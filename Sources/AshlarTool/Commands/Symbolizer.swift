import AshlarCore
import Foundation

/// Finds the functions, files and lines of the frames in a log by running `llvm-symbolizer`.
struct Symbolizer {
    /// The name or the path of the program.
    let program: String

    /// Returns the places of a frame, the innermost inlined function first; empty for another line.
    ///
    /// A frame is `  frame 3: 0x7f… /path of the image 0x1234`, whose last number is an address in the image.
    func places(ofFrame line: String) throws(ToolError) -> [String] {
        let parts = line.split(separator: " ")
        guard line.hasPrefix("  frame "), parts.count >= 5, let last = parts.last, last.hasPrefix("0x"),
            let address = UInt(last.dropFirst(2), radix: 16)
        else { return [] }
        let image = parts[3..<(parts.count - 1)].joined(separator: " ")
        // The address of a caller is that of the instruction after the call.
        let called = parts[1] == "0:" ? address : address - 1
        let text = try run(["--obj=\(image)", "--pretty-print", "--no-demangle", "0x" + String(called, radix: 16)])
        return text.split(separator: "\n").map { place in
            let words = place.split(separator: " ", maxSplits: 1)
            guard let name = words.first, name != "(inlined", name != "??" else { return String(place) }
            return demangled(String(name)) + place.dropFirst(name.count)
        }
    }

    #if os(Linux) || os(macOS)
        private func run(_ arguments: [String]) throws(ToolError) -> String {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [program] + arguments
            let output = Pipe()
            process.standardOutput = output
            do { try process.run() } catch { throw .problem("can't run \(program): \(error)") }
            let bytes = read(output)
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw .problem(
                    "\(program) failed; Debian has it in the package llvm, Xcode has it as 'xcrun llvm-symbolizer'")
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        /// Reads to the end; the methods of `FileHandle` trap if a signal interrupts them.
        private func read(_ pipe: Pipe) -> [UInt8] {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = Foundation.read(pipe.fileHandleForReading.fileDescriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return bytes }
                bytes += buffer[..<count]
            }
        }
    #else
        private func run(_ arguments: [String]) throws(ToolError) -> String {
            throw .problem("\(program) can't run on this system")
        }
    #endif

    /// Returns the declaration of a mangled Swift name.
    private func demangled(_ name: String) -> String {
        typealias Demangle =
            @convention(c) (
                UnsafePointer<CChar>, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
            ) -> UnsafeMutablePointer<CChar>?
        // The runtime exports this function for debuggers, but has no header for it, so that its address gets its type
        // here: the one in the runtime's sources.
        guard let symbol = dlsym(nil, "swift_demangle") else { return name }
        let demangle = unsafeBitCast(symbol, to: Demangle.self)
        guard let text = demangle(name, name.utf8.count, nil, nil, 0) else { return name }
        defer { free(text) }
        return String(cString: text)
    }
}
