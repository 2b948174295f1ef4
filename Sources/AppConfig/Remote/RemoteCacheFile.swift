internal import AshlarCore

/// The last good document of a remote source, in a file.
///
/// The file has a line for each property, an empty line, and the bytes. Writing replaces it atomically, so that it holds
/// one whole document even if the process is killed.
struct RemoteDocument: Sendable, Equatable {
    var bytes: [UInt8]
    var version: String?
    var signature: [UInt8]?
    /// The seconds since 2001 at which the document was fetched.
    var date: Double

    private static let heading = "ashlar configuration 1"

    func write(to path: String) throws(FileFailure) {
        var lines = [
            Self.heading, "date: \(date)", "length: \(bytes.count)", "hash: \(Murmur3.hash(bytes))",
        ]
        if let version { lines.append("version: \(Base64.encode(Array(version.utf8)))") }
        if let signature { lines.append("signature: \(Base64.encode(signature))") }
        try AtomicFile.replace(path, with: Array((lines.joined(separator: "\n") + "\n\n").utf8) + bytes)
    }

    /// Reads a file; returns nil if it is not a whole document.
    init?(file bytes: [UInt8]) {
        guard
            let end = zip(bytes.indices, bytes.indices.dropFirst()).first(where: { bytes[$0] == 10 && bytes[$1] == 10 })
        else { return nil }
        let lines = String(decoding: bytes[..<end.0], as: UTF8.self).split(separator: "\n")
        var fields: [Substring: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            fields[line[..<colon]] = String(line[colon...].dropFirst(2))
        }
        let content = Array(bytes[(end.1 + 1)...])
        guard lines.first.map(String.init) == Self.heading, let date = fields["date"].flatMap({ Double($0) }),
            fields["length"] == "\(content.count)", fields["hash"] == "\(Murmur3.hash(content))"
        else { return nil }
        func decoded(_ name: Substring) -> [UInt8]? {
            fields[name].flatMap { Base64.decode($0.utf8, ignoringWhitespace: false) }
        }
        self.init(
            bytes: content, version: decoded("version").map { String(decoding: $0, as: UTF8.self) },
            signature: decoded("signature"), date: date)
    }

    init(bytes: [UInt8], version: String?, signature: [UInt8]?, date: Double) {
        (self.bytes, self.version, self.signature, self.date) = (bytes, version, signature, date)
    }
}
