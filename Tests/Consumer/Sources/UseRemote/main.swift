import AshlarRemote

// A document is used, and confirmed by the next fetch.
let document = RemoteDocument("greeting") { version in
    version == "1" ? .notModified : .document(Array("hello".utf8), version: "1")
} use: { bytes in
    print(String(decoding: bytes, as: UTF8.self))
}
let isNew = try await document.refresh()
let isNewAgain = try await document.refresh()
precondition(isNew && !isNewAgain)
precondition(document.status.version == "1")
