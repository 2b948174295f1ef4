import AshlarAppConfig
import Configuration
import Foundation

/// The adapters in a circle: a store, a provider over it, and a source over the provider.
let store = ConfigStore(["http": ["timeout": 30, "hosts": ["a", "b"]], "apiToken": "t", "key": .data(Data([1, 2]))])
let provider = StoreProvider(store: store)
let reader = ConfigReader(provider: provider)
precondition(reader.int(forKey: "http.timeout", default: 1) == 30)
precondition(reader.int(forKey: "http.retries", default: 3) == 3)
precondition(reader.string(forKey: "http.hosts") == nil)
let token = try provider.value(forKey: AbsoluteConfigKey("apiToken"), type: .string).value
precondition(token == Configuration.ConfigValue(.string("t"), isSecret: true))

var plan = ConfigPlan(files: .memory(["ApplicationConfig.json": #"{"http": {"timeout": 5}}"#]), environments: [])
plan.add(
    ProviderSource(
        provider: provider,
        keys: ["http.timeout": .int, "http.hosts": .stringArray, "key": .bytes, "http.missing": .bool]))
let copy = try ConfigStore(loading: plan)
let expected: AppValue = ["http": ["timeout": 30, "hosts": ["a", "b"]], "key": .data(Data([1, 2]))]
precondition(AppValue.dictionary(copy.current.values) == expected)
precondition(copy.current.explain("http.timeout").winner?.location.file == "AshlarAppConfig")

// A change of the store reaches the copy, and a watching reader, through both adapters.
let watch = copy.watch()
store.update { $0["http.timeout"] = 7 }
for await config in copy.changes() where config.int(forKey: "http.timeout") == 7 { break }
try await provider.watchValue(forKey: AbsoluteConfigKey("http.timeout"), type: .int) { updates in
    for await update in updates {
        let content = try update.get().value?.content
        precondition(content == .int(7))
        break
    }
}
watch.cancel()
print("AshlarAppConfig and a stand-in for swift-configuration: \(copy.current.explain("http.timeout"))")
