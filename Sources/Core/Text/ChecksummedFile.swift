/// The bytes of a file that begins with a mark and a checksum, each on a line of its own.
///
/// The checksum is the SHA-256 of the rest, so that a file that is cut off or damaged by a crash of the system isn't read.
package enum ChecksummedFile {
    /// Returns the content of a file.
    ///
    /// - Parameters:
    ///   - payload: The bytes after the checksum.
    ///   - mark: The format of the payload and its version, in one line.
    /// - Returns: The content.
    package static func encode(_ payload: [UInt8], mark: String) -> [UInt8] {
        Array("\(mark)\n\(SHA256.hexadecimal(payload))\n".utf8) + payload
    }

    /// Returns the payload of a file, or nil if the file has another mark or is damaged.
    package static func decode(_ bytes: [UInt8], mark: String) -> [UInt8]? {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
        guard lines.count == 3, lines[0].elementsEqual(mark.utf8) else { return nil }
        let payload = Array(lines[2])
        return lines[1].elementsEqual(SHA256.hexadecimal(payload).utf8) ? payload : nil
    }
}
