import AshlarAppConfig
import AshlarRemote
import AshlarTooling
import Foundation
import FuzzHarness

private struct BytesSource: ConfigSource {
    let name = "bytes"
    let bytes: [UInt8]
    var format: (any ConfigFormat)?

    func content() -> ConfigSourceContent { .bytes(bytes, format: format) }
}

/// Loads the bytes as a file and reads all loaded values.
@Sendable private func load(
    _ bytes: [UInt8], as format: (any ConfigFormat)? = nil, _ adjust: (inout ConfigPlan) -> Void = { _ in }
) {
    var plan = ConfigPlan(files: .memory([:]), environments: [], bundleIdentifier: "com.acme.beta.App")
    plan.add(BytesSource(bytes: bytes, format: format))
    plan.limits.values = 100_000
    plan.variables = ["HOME": "/", "APP_A__B": "${x}"]
    plan.variablePrefix = "APP_"
    adjust(&plan)
    let store = ConfigStore(loadingBestEffort: plan)
    _ = store.errors.map(\.description)
    let config = store.current
    _ = config.description
    for path in config.paths().prefix(100) {
        _ = config.explain(path).description
        _ = config.int(forKey: path.description)
    }
}

/// Writes the bytes to a file of this process and calls the closure with its path.
@Sendable private func withFile(_ bytes: [UInt8], _ body: (String) -> Void) {
    let path = NSTemporaryDirectory() + "ashlar-fuzz-config-\(getpid())"
    FileManager.default.createFile(atPath: path, contents: Data(bytes))
    body(path)
}

private func text(_ head: String, _ bytes: [UInt8], _ tail: String) -> [UInt8] {
    Array(head.utf8) + bytes + Array(tail.utf8)
}

/// The first function that libFuzzer calls.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutableRawPointer) -> Int32 {
    choose(from: [
        FuzzTarget("file") { load($0) },
        FuzzTarget("xml") { load(text("<plist><dict>", $0, "</dict></plist>")) },
        FuzzTarget("binary") { load(text("bplist00", $0, "")) },
        FuzzTarget("json") { load(text("{", $0, "}")) { $0.merge = .seed } },
        FuzzTarget("template") { bytes in
            // The input is the text of two values that can refer to each other.
            let value = ConfigValue.string(String(decoding: bytes, as: UTF8.self))
            load([]) { $0.defaults = ["a": value, "b": ["c": value], "x": "y"] }
        },
        FuzzTarget("path") { bytes in
            let path = ConfigPath(String(decoding: bytes, as: UTF8.self))
            precondition(ConfigPath(path.description).description == path.description)
            var config: ApplicationConfig = ["a": ["b": [1, 2]], "a.b": 3]
            config[path] = 4
            _ = config.explain(path).description
        },
        FuzzTarget("names") { bytes in
            let name = String(decoding: bytes, as: UTF8.self)
            load([]) {
                $0.variables = ["APP_" + name: name]
                $0.arguments = ["--" + name, "--set", name]
            }
        },
        FuzzTarget("comments") { bytes in load(bytes, as: JSONWithCommentsFormat()) },
        FuzzTarget("env-file") { bytes in withFile(bytes) { path in load([]) { $0.variableFiles = [path] } } },
        FuzzTarget("cache") { bytes in
            withFile(text("ashlar document 1\n", bytes, "")) { path in
                let source = RemoteConfigSource("remote", cache: path) { _ in .notModified }
                load([]) { $0.add(source) }
            }
        },
        FuzzTarget("export") { bytes in
            var plan = ConfigPlan(files: .memory([:]), environments: [])
            plan.add(BytesSource(bytes: bytes))
            let config = ConfigStore(loadingBestEffort: plan).current
            let text = config.exported(as: .propertyList, includesSecrets: true)
            var again = ConfigPlan(files: .memory(["ApplicationConfig.plist": text]), environments: [])
            again.literalLayers = [.base]
            _ = ConfigStore(loadingBestEffort: again).current.description
            _ = config.exported(as: .json)
        },
    ])
}
