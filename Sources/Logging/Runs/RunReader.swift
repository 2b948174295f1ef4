internal import AshlarBase

/// Reads the log of a run from its files.
package enum RunReader {
    /// Returns the contents of the files in order, or the last whole lines in at most `limit` bytes.
    package static func contents(of files: [String], limit: Int?) -> [UInt8] {
        var all: [UInt8] = []
        guard let limit else {
            var pieces = RunPieces(files: files)
            while let piece = pieces.next() { all += piece }
            return all
        }
        for path in files.reversed() where all.count <= limit { all = Damage.repaired(bytes(of: path)) + all }
        return wholeLines(all, limit: limit)
    }

    /// Returns the line between two segments that don't follow each other; nothing between others.
    static func gap(between number: Int?, and next: Int?) -> [UInt8] {
        guard let number, let next, next - number > 1 else { return [] }
        return Array("... [segments \(number + 1) to \(next - 1) were removed: the run is too long] ...\n".utf8)
    }

    /// Returns the last whole lines in at most `limit` bytes; all bytes without a limit.
    static func wholeLines(_ all: [UInt8], limit: Int?) -> [UInt8] {
        guard let limit, all.count > limit else { return all }
        guard limit > 0 else { return [] }
        let first = all.count - limit
        if all[first - 1] == .newline { return Array(all[first...]) }
        guard let end = all[first...].firstIndex(of: .newline) else { return [] }
        return Array(all[(end + 1)...])
    }

    static func segmentNumber(of path: String) -> Int? {
        guard let slash = path.lastIndex(of: "/"), let file = RunFile(name: String(path[path.index(after: slash)...])),
            case .segment(let number) = file.part
        else { return nil }
        return number
    }

    /// Returns the bytes of a file from an offset, at most `limit`.
    package static func bytes(of path: String, from offset: Int = 0, limit: Int = .max) -> [UInt8] {
        let descriptor = SystemCalls.openForReading(path)
        guard descriptor >= 0 else { return [] }
        defer { SystemCalls.close(descriptor) }
        let size = Int(clamping: FileStatus(descriptor: descriptor)?.size ?? 0)
        return SystemCalls.read(descriptor, offset: Int64(offset), limit: min(size - offset, limit))
    }

    /// Truncates the unused ends of the files of a killed run, without changing their times, which show its end.
    static func removeUnusedEnds(of files: [String]) {
        for path in files {
            let descriptor = SystemCalls.openForUpdating(path)
            guard descriptor >= 0 else { continue }
            defer { SystemCalls.close(descriptor) }
            guard let file = FileStatus(descriptor: descriptor)?.signature else { continue }
            let bytes = SystemCalls.read(descriptor, offset: 0, limit: Int(clamping: file.size))
            let end = Damage.end(of: bytes[...])
            guard Int64(end) < file.size else { continue }
            _ = SystemCalls.truncate(descriptor, to: Int64(end))
            SystemCalls.setModified(descriptor, file.modified)
        }
    }
}

/// Reads the log of a run file by file, each with whole lines.
package struct RunPieces: IteratorProtocol, Sendable {
    private var files: ArraySlice<String>
    private var lastNumber: Int?

    /// Creates the pieces of a run's files, in order.
    package init(files: [String]) { self.files = files[...] }

    /// Returns the lines of the next file, after a line about the segments that are missing before it; nil at the end.
    package mutating func next() -> [UInt8]? {
        while let path = files.popFirst() {
            let number = RunReader.segmentNumber(of: path)
            let piece = RunReader.gap(between: lastNumber, and: number) + Damage.repaired(RunReader.bytes(of: path))
            lastNumber = number ?? lastNumber
            if !piece.isEmpty { return piece }
        }
        return nil
    }
}

/// Zero bytes in a segment: free space at its end, or damage.
///
/// A mapped segment contains zeros after its last line, and an unfinished line starts with zero bytes: the first byte is
/// stored last, and the copy of the others may begin at any of them. In every mode, a power failure can leave blocks of
/// zeros anywhere.
enum Damage {
    /// The size of the smallest block that a power failure leaves, which tells it from the start of an unfinished line.
    private static let block = 4096

    /// Returns the length of the segment without free space and an unfinished last line.
    static func end(of bytes: ArraySlice<UInt8>) -> Int {
        let end = bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
        var start = 0
        while let hole = nextHole(in: bytes[..<end], from: start) {
            if hole.count < block, hole.lowerBound == 0 || bytes[hole.lowerBound - 1] == .newline,
                isLastLine(bytes[hole.upperBound..<end])
            {
                return hole.lowerBound
            }
            start = hole.upperBound
        }
        return end
    }

    /// Whether the bytes are at most one line, which can have continuation lines.
    private static func isLastLine(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while let end = rest.firstIndex(of: .newline), end + 1 < rest.endIndex {
            rest = rest[(end + 1)...]
            guard rest.starts(with: "  | ".utf8) else { return false }
        }
        return true
    }

    private static func nextHole(in bytes: ArraySlice<UInt8>, from start: Int) -> Range<Int>? {
        guard let first = bytes[start...].firstIndex(of: 0) else { return nil }
        return first..<(bytes[first...].firstIndex { $0 != 0 } ?? bytes.endIndex)
    }

    /// Returns the bytes of a segment without free space, with a mark instead of each hole.
    static func repaired(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(0) else { return bytes }
        let used = bytes[..<end(of: bytes[...])]
        var result: [UInt8] = []
        var start = 0
        while let hole = nextHole(in: used, from: start) {
            result += used[start..<hole.lowerBound]
            if hole.count < 8 {
                for _ in hole { result += "\\x00".utf8 }
            } else {
                if let last = result.last, last != .newline { result.append(.newline) }
                result += "[\(grouped(hole.count)) bytes lost]\n".utf8
            }
            start = hole.upperBound
        }
        return result + used[start...]
    }

    private static func grouped(_ count: Int) -> String {
        let digits = String(count).reversed().enumerated().map { $0 > 0 && $0 % 3 == 0 ? "\($1)," : "\($1)" }
        return digits.reversed().joined()
    }
}
