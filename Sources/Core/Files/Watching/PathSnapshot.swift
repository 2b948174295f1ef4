/// The signatures of several files, taken at the same time.
package struct PathSnapshot: Sendable {
    package let signatures: [FileSignature?]
    /// Whether another write could leave one of the signatures unchanged; see ``FileSignature/isFresh(at:)``.
    package let isFresh: Bool

    /// Takes the signatures of the files at some paths; a file that can't be accessed has none.
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
