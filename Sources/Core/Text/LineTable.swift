/// The byte offsets at which the lines of a text start.
///
/// A line ends at LF, CR LF, or CR. Line and column numbers start at 1; a column is counted in UTF-8 bytes.
package struct LineTable: Sendable {
    private let starts: [UInt32]

    /// Scans a text of less than 4 GiB.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    package init(_ bytes: [UInt8]) {
        var starts: [UInt32] = [0]
        starts.reserveCapacity(bytes.count / 24 + 8)
        let slice = bytes[...]  // `Array.span` is newer than the deployment targets.
        let text = slice.span
        let lf = UInt8(ascii: "\n")
        let cr = UInt8(ascii: "\r")
        var at = 0
        while at < text.count {
            let byte = text[at]
            at += 1
            if byte == lf || byte == cr && (at == text.count || text[at] != lf) { starts.append(UInt32(at)) }
        }
        self.starts = starts
    }

    /// The line and column of a byte offset.
    ///
    /// - Complexity: O(log *lines*).
    package func position(of offset: Int) -> (line: Int, column: Int) {
        var (low, high) = (0, starts.count)
        while low + 1 < high {
            let middle = (low + high) / 2
            if Int(starts[middle]) <= offset { low = middle } else { high = middle }
        }
        return (low + 1, offset - Int(starts[low]) + 1)
    }
}
