public import Foundation

// The methods of `FileHandle` trap, or throw, if a signal interrupts them.
extension Pipe {
    /// Waits for bytes and returns them; returns nothing at the end.
    public func readSome() -> ArraySlice<UInt8> { read(upTo: 1 << 16) }

    /// Waits for the end and returns all bytes until then.
    public func readToEnd() -> [UInt8] {
        var bytes: [UInt8] = []
        while case let more = readSome(), !more.isEmpty { bytes += more }
        return bytes
    }

    /// Waits for the end and returns the text until then.
    public func readText() -> String { String(decoding: readToEnd(), as: UTF8.self) }

    /// Waits for the end of a line and returns the line; the rest remains in the pipe.
    public func readLine() -> String {
        var line: [UInt8] = []
        while let byte = read(upTo: 1).first, byte != UInt8(ascii: "\n") { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }

    private func read(upTo limit: Int) -> ArraySlice<UInt8> {
        var buffer = [UInt8](repeating: 0, count: limit)
        while true {
            let count = Foundation.read(fileHandleForReading.fileDescriptor, &buffer, limit)
            if count >= 0 || errno != EINTR { return buffer[..<max(count, 0)] }
        }
    }
}
