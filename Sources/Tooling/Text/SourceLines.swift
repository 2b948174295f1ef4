import AshlarCustomization

/// The lines of a text, for the locations of findings.
struct SourceLines {
    private let file: String
    private let utf8: [UInt8]
    /// The offsets of the line starts.
    private let starts: [Int]

    init(_ text: String, file: String) {
        (self.file, utf8) = (file, Array(text.utf8))
        let lineFeed = UInt8(ascii: "\n")
        let carriageReturn = UInt8(ascii: "\r")
        starts =
            [0]
            + utf8.indices.filter { [utf8] index in
                utf8[index] == lineFeed
                    || utf8[index] == carriageReturn && (index + 1 == utf8.count || utf8[index + 1] != lineFeed)
            }.map { $0 + 1 }
    }

    /// Returns the line and column of a byte.
    ///
    /// - Complexity: O(log *lines* + length of the line).
    func location(ofByte offset: Int) -> CustomizationLocation {
        let offset = min(max(offset, 0), utf8.count)
        var (low, high) = (0, starts.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if starts[middle] <= offset { low = middle } else { high = middle - 1 }
        }
        let column = utf8[starts[low]..<offset].count { $0 & 0xC0 != 0x80 } + 1
        return CustomizationLocation(file: file, line: low + 1, column: column)
    }
}
