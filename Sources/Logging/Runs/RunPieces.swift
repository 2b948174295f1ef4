internal import AshlarBase

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
