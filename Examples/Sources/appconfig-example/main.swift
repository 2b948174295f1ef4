// Loads ApplicationConfig files for an environment and a bundle identifier, and prints the origin of each value.
import AshlarAppConfig

let folder = CommandLine.arguments.dropFirst().first ?? "Resources"
let plan = ConfigPlan(
    files: .directory(folder), environments: [.debug], bundleIdentifier: "com.example.fieldnotes.beta.acme")
do {
    let config = try ApplicationConfig.load(plan)
    print("host:", config.string(forKey: "api.host") ?? "localhost")
    print("timeout:", config.value(forKey: "api.timeout", as: Duration.self) ?? .seconds(24))
    print("retries, typed:", try config.get("api.retries", as: Int.self))
    print(config.explain("api.host"))
    print(config.explain("api.timeout"))

    let store = ConfigStore(config)
    store.update { $0["api.retries"] = 5 }
    print("retries, set at run time:", store.current.int(forKey: "api.retries") ?? 0)
} catch {
    print(error)
}
