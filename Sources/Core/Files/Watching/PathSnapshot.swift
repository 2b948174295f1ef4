/// The signatures of several files, taken together.
package struct PathSnapshot: Sendable {
    package let signatures: [FileSignature?]
    /// Whether a further write may leave one of the signatures as it is, see ``FileSignature/isFresh(at:)``.
    package let isFresh: Bool

    /// Takes the signatures of the files at some paths; a file that can't be reached has none.
    package init(of paths: [String]) { self.init(paths.map { FileSignature($0) }, at: .now) }

    init(_ signatures: [FileSignature?], at now: FileSignature.Time) {
        self.signatures = signatures
        isFresh = signatures.contains { $0?.isFresh(at: now) == true }
    }

    /// Whether a file may have changed since an earlier snapshot.
    package func mayDiffer(from earlier: PathSnapshot) -> Bool {
        earlier.isFresh || signatures != earlier.signatures
    }

    /// Whether a file of an earlier snapshot is missing.
    package func lacksFile(of earlier: PathSnapshot) -> Bool {
        zip(earlier.signatures, signatures).contains { $0 != nil && $1 == nil }
    }
}
