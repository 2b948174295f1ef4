import AshlarRemote

// A document is used, and confirmed by the next fetch.
let document = RemoteDocument("greeting") { version in
    version == "1" ? .notModified : .document(Array("hello".utf8), version: "1")
} use: { bytes in
    print(String(decoding: bytes, as: UTF8.self))
}
precondition(try await document.refresh())
precondition(try await !document.refresh())
precondition(document.status.version == "1")
