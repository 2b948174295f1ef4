import AshlarAppConfig
import AshlarCore

/// A document from a server, and its file: the last accepted copy for the next start.
///
/// The checksummed file has a line for each property, an empty line, and the bytes. It is replaced atomically, so that it
/// holds one whole document even if the process is killed.
struct StoredDocument: Sendable, Equatable {
    /// The content.
    var bytes: [UInt8]
    /// The version, such as an entity tag.
    var version: String?
    /// The signature of the content.
    var signature: [UInt8]?
    /// The seconds since 2001 at which the document was fetched, or confirmed by the server.
    var date: Double
    /// The age of the content, which the signature includes; it isn't in the file, because the content has it.
    var revision: ConfigRevision?

    private static let mark = "ashlar document 2"
    private static let largestFile = 64 << 20
}

extension StoredDocument {
    /// Reads a file; returns nil if it doesn't exist.
    init?(path: String) throws(RemoteError) {
        let file: [UInt8]
        do throws(FileFailure) {
            file = try WholeFile.readOwn(path, limit: Self.largestFile)
        } catch {
            if error.isMissing { return nil }
            throw RemoteError(.unreadableCache, "can't read the cache file: \(error)", file: path)
        }
        guard let document = StoredDocument(file: file) else {
            throw RemoteError(.damagedCache, "the cache file is not a whole document", file: path)
        }
        self = document
    }

    /// Reads the content of a file; returns nil if it is not a whole document.
    init?(file: [UInt8]) {
        guard var rest = ChecksummedFile.decode(file, mark: Self.mark)?[...] else { return nil }
        var fields: [String: String] = [:]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")), end > rest.startIndex {
            let parts = String(decoding: rest[..<end], as: UTF8.self).split(
                separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { fields[String(parts[0])] = String(parts[1]) }
            rest = rest[(end + 1)...]
        }
        let content = Array(rest.dropFirst())
        guard let date = fields["date:"].flatMap({ Double($0) }) else { return nil }
        func decoded(_ name: String) -> [UInt8]? { fields[name].flatMap { Base64.decode($0.utf8) } }
        self.init(
            bytes: content, version: decoded("version:").map { String(decoding: $0, as: UTF8.self) },
            signature: decoded("signature:"), date: date)
    }

    /// The content of the file.
    var file: [UInt8] {
        var lines = ["date: \(date)"]
        // Base64, because a version from a server may contain anything.
        if let version { lines.append("version: \(Base64.encode(Array(version.utf8)))") }
        if let signature { lines.append("signature: \(Base64.encode(signature))") }
        return ChecksummedFile.encode(Array((lines.joined(separator: "\n") + "\n\n").utf8) + bytes, mark: Self.mark)
    }

    /// Replaces a file, unless it has a later document; the file has one of both documents, even after a crash.
    ///
    /// Several processes can share a file. No other process writes it between the call of the closure and the end of the
    /// method.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - isLater: Returns whether the document of the file is usable and later than this one.
    /// - Throws: An error with the code `unwritableCache`; the file is then unchanged.
    func write(to path: String, unless isLater: (StoredDocument) -> Bool = { _ in false }) throws(RemoteError) {
        do throws(FileFailure) {
            try AtomicFile.replace(path) {
                guard let file = try? WholeFile.readOwn(path, limit: Self.largestFile),
                    let other = StoredDocument(file: file), isLater(other)
                else { return self.file }
                return file
            }
        } catch {
            throw RemoteError(.unwritableCache, "can't write the cache file: \(error)", file: path)
        }
    }
}
