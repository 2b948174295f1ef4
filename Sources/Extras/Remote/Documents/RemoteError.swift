/// A failure of a document from a server: its signature is wrong, or its cache file can't be used.
///
/// A failure to fetch a document is the error of the client.
public struct RemoteError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure; codes may be added, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable {
        private enum Kind { case invalidSignature, outdated, unreadableCache, damagedCache, unwritableCache }
        private let kind: Kind
        /// A document has no signature or a wrong one.
        public static var invalidSignature: Code { Code(kind: .invalidSignature) }
        /// A document is older than the accepted one.
        public static var outdated: Code { Code(kind: .outdated) }
        /// The cache file can't be read.
        public static var unreadableCache: Code { Code(kind: .unreadableCache) }
        /// The cache file is incomplete or isn't a cache file.
        public static var damagedCache: Code { Code(kind: .damagedCache) }
        /// The cache file can't be written; the document itself is in use.
        public static var unwritableCache: Code { Code(kind: .unwritableCache) }
    }

    /// The kind of failure, without the details.
    public let code: Code
    /// The problem.
    public let reason: String
    /// The path of the cache file, if it has the problem.
    public let file: String?

    init(_ code: Code, _ reason: String, file: String? = nil) {
        self.code = code
        self.reason = reason
        self.file = file
    }

    /// The file and the problem.
    public var description: String { (file.map { "\($0): " } ?? "") + reason }
}
