internal import AshlarBase

/// Reads the log of a run piece by piece, each with whole lines.
package struct RunPieces: IteratorProtocol, Sendable {
    private let files: [String]
    private let limit: Int
    private var index = 0
    private var offset = 0
    private var lastNumber: Int?

    /// The first bytes of a continuation line, which belongs to the line before.
    private static let gutter = Array("  | ".utf8)

    /// Creates pieces of about `limit` bytes.
    package init(files: [String], limit: Int = 256 * 1024) {
        self.files = files
        self.limit = max(16, limit)
    }

    /// Returns the next lines; nil at the end.
    package mutating func next() -> [UInt8]? {
        while index < files.count {
            let path = files[index]
            if offset == 0, let gap = gap(before: path) { return gap }
            var size = limit
            while true {
                var bytes = RunReader.bytes(of: path, from: offset, limit: size)
                if bytes.count < size { return finishFile(bytes) ?? next() }
                // Zeros are free space or damage, about which the rest of the file decides.
                if bytes.contains(0) {
                    return finishFile(RunReader.bytes(of: path, from: offset)) ?? next()
                }
                if let end = Self.endOfLines(in: bytes) {
                    offset += end
                    bytes.removeSubrange(end...)
                    return bytes
                }
                size *= 2
            }
        }
        return nil
    }

    private mutating func finishFile(_ bytes: [UInt8]) -> [UInt8]? {
        index += 1
        offset = 0
        let lines = Damage.repaired(bytes)
        return lines.isEmpty ? nil : lines
    }

    /// Returns the line about the segments that are missing before a file.
    private mutating func gap(before path: String) -> [UInt8]? {
        let number = RunReader.segmentNumber(of: path)
        defer { lastNumber = number ?? lastNumber }
        let gap = RunReader.gap(between: lastNumber, and: number)
        return gap.isEmpty ? nil : gap
    }

    /// The end of the last line after which another one begins that isn't its continuation.
    private static func endOfLines(in bytes: [UInt8]) -> Int? {
        var end = bytes.count - gutter.count
        while end > 0, let newline = bytes[..<end].lastIndex(of: .newline) {
            if !bytes[(newline + 1)...].starts(with: gutter) { return newline + 1 }
            end = newline
        }
        return nil
    }
}
