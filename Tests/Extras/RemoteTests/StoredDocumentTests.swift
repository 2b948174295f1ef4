import Testing

@testable import AshlarRemote

@Suite struct StoredDocumentTests {
    static let documents = [
        StoredDocument(bytes: [], version: nil, signature: nil, date: 0),
        StoredDocument(bytes: Array("{}".utf8), version: "\"1\"", signature: nil, date: 817_000_000.25),
        StoredDocument(bytes: [10, 10, 0, 255, 10], version: "a\nb: c\n\nä", signature: [0, 10, 255], date: -1.5),
        StoredDocument(bytes: Array("\n\nsha256: 0\n\n".utf8), version: "", signature: [], date: 1e300),
    ]

    @Test("A document returns from its file as it was", arguments: documents)
    func roundTrip(document: StoredDocument) {
        #expect(StoredDocument(file: document.file) == document)
    }

    @Test("A file with a missing end or a wrong bit is no document", arguments: documents)
    func damage(document: StoredDocument) {
        let file = document.file
        for length in 0..<file.count { #expect(StoredDocument(file: Array(file[..<length])) == nil) }
        for at in file.indices {
            for bit in 0..<8 {
                var damaged = file
                damaged[at] ^= 1 << bit
                #expect(StoredDocument(file: damaged) == nil, "byte \(at), bit \(bit)")
            }
        }
        #expect(StoredDocument(file: file + [0]) == nil)
    }
}
