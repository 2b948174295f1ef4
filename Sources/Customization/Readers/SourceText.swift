internal import AshlarCore

/// The text of one file as UTF-8, which converts offsets to lines and columns.
final class SourceText: Sendable {
    let file: String
    let utf8: [UInt8]
    let encoding: StringsEncoding
    /// Whether the bytes aren't text; `utf8` is then empty.
    let isRejected: Bool
    private let decodingProblems: [DecodingProblem]
    /// The offsets of the line starts, created on first use.
    private let lineStarts = Mutex<[UInt32]?>(nil)

    init(bytes: [UInt8], file: String, assuming encoding: StringsEncoding? = nil) {
        let decoding = TextDecoding(bytes, assuming: encoding)
        (self.file, utf8, self.encoding) = (file, decoding.utf8, decoding.encoding)
        (isRejected, decodingProblems) = (decoding.isRejected, decoding.problems)
    }

    init(utf8: [UInt8], file: String, encoding: StringsEncoding = .utf8, isRejected: Bool = false) {
        (self.file, self.utf8, self.encoding, self.isRejected) = (file, utf8, encoding, isRejected)
        decodingProblems = []
    }

    /// The problems found while decoding the bytes.
    var diagnostics: [CustomizationDiagnostic] {
        decodingProblems.map { problem in
            CustomizationDiagnostic(
                problem.severity, problem.code, problem.message,
                at: problem.place.map { CustomizationLocation(file: file, line: $0.line, column: $0.column) }
                    ?? location(ofByte: problem.offset))
        }
    }

    /// Returns the line and column of a byte of `utf8`.
    ///
    /// - Complexity: O(*n*) for the first call, then O(log *lines* + length of the line).
    func location(ofByte offset: Int) -> CustomizationLocation {
        let starts = lineStarts.withLock { starts in
            if let starts { return starts }
            let made = Self.lineStarts(of: utf8)
            starts = made
            return made
        }
        let offset = min(max(offset, 0), utf8.count)
        var (low, high) = (0, starts.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if starts[middle] <= offset { low = middle } else { high = middle - 1 }
        }
        var column = 1
        for byte in utf8[Int(starts[low])..<offset] where byte & 0xC0 != 0x80 { column += 1 }
        return CustomizationLocation(file: file, line: low + 1, column: column)
    }

    private static func lineStarts(of utf8: [UInt8]) -> [UInt32] {
        var starts: [UInt32] = [0]
        utf8.withUnsafeBufferPointer { bytes in
            for i in bytes.indices {
                let byte = bytes[i]
                guard byte == 0x0A || byte == 0x0D else { continue }
                if byte == 0x0D, i + 1 < bytes.count, bytes[i + 1] == 0x0A { continue }
                starts.append(UInt32(i + 1))
            }
        }
        return starts
    }
}
