import Foundation

extension Pipe {
    /// Waits for output that contains a text, or for the end, and returns all output until then.
    ///
    /// The methods of `FileHandle` trap if a signal interrupts them.
    func readText(until text: String? = nil) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(fileHandleForReading.fileDescriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            bytes += buffer[..<max(count, 0)]
            let output = String(decoding: bytes, as: UTF8.self)
            if count <= 0 || text.map(output.contains) == true { return output }
        }
    }
}
