import AshlarAppConfig
import AshlarRemote

// A document is used, and confirmed by the next fetch.
let source = RemoteConfigSource("greeting") { version in
    version == "1" ? .notModified : .document(Array(#"{"text": "hello"}"#.utf8), version: "1")
}
var plan = ConfigPlan(files: .memory(["ApplicationConfig.json": "{}"]))
plan.add(source)
let store = try ConfigStore(loading: plan)
let changes = try await store.refresh().changes
let furtherChanges = try await store.refresh().changes
precondition(!changes.isEmpty && furtherChanges.isEmpty)
precondition(store.current.string(forKey: "text") == "hello")
precondition(source.status.version == "1")
