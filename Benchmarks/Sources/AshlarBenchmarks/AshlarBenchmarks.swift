import Ashlar
import BenchmarkHarness
import Foundation

/// The start of a whole app, and the share of each part.
@main
struct AshlarBenchmarks {
    static func main() throws {
        var suite = BenchmarkSuite("Ashlar")
        let files = try AppFiles(strings: 10_000, settings: 1_000)
        defer { files.remove() }
        let note = "10,000 strings in each of en, fr and fr-CA, 1,000 settings, 20 hosts; median of 21"
        suite.value("start of an app", unit: "ms", bar: .below(25), note: note) {
            median { () -> AshlarApp in
                let app = AshlarApp(files.configuration)
                check(app.issues.isEmpty && app.customization.current.layers.count == 3, "\(app.issues)")
                return app
            }
        }
        suite.value("share of the configuration", unit: "ms") {
            median { ConfigStore(loadingBestEffort: files.plan) }
        }
        suite.value("share of the strings", unit: "ms") {
            median { Customization(path: files.folder, base: "en", languages: ["fr-CA"], brand: .none, themes: []) }
        }
        suite.value("share of the host map", unit: "ms") {
            median { try? HostMap(contentsOfFile: files.folder + "/HostMap.json") }
        }
        suite.value("share of the log", unit: "ms") {
            median { () -> LogStartReport in
                LogSystem.shutdown()
                return LogSystem.start(files.log)
            }
        }
        suite.finish()
    }

    /// The median time of 21 runs in milliseconds; the results are released outside the measurement.
    private static func median<Result>(_ body: () -> Result) -> Double {
        let times = (0..<21).map { _ in
            var result: Result?
            let time = ContinuousClock().measure { result = body() }
            blackHole(result)
            return time / .milliseconds(1)
        }
        return times.sorted()[10]
    }

    private static func check(_ condition: Bool, _ problem: @autoclosure () -> String) {
        if !condition { fatalError("the app did not start as a whole: \(problem())") }
    }
}

/// The files of an app in a temporary folder.
struct AppFiles {
    let folder: String

    init(strings: Int, settings: Int) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("start-\(UUID().uuidString)").path
        for language in ["en", "fr", "fr-CA"] {
            let text = (0..<strings).map { i in
                "/* The title of element \(i) */\n\"screen\(i % 100).element\(i).title\" = "
                    + "\"\(language) text \(i) of the file\";\n\n"
            }.joined()
            try write(text, to: "\(language).lproj/Localizable.strings")
        }
        var sections: [String: [String: Any]] = [:]
        for i in 0..<settings {
            sections["section\(i / 50)", default: [:]]["key\(i % 50)"] = i % 2 == 0 ? i : "value number \(i)"
        }
        let plist = try PropertyListSerialization.data(fromPropertyList: sections, format: .xml, options: 0)
        try write(String(decoding: plist, as: UTF8.self), to: "ApplicationConfig.plist")
        let hosts = (0..<20).map { i in
            """
            {"canonical_host": "api\(i).example", "canonical_protocol": "https", "release_key": "PROD",
              "prerelease_key": "QA", "hosts": [{"key": "PROD", "host": "www\(i).example"},
              {"key": "QA", "host": "qa\(i).example"}, {"key": "DEV", "host": "dev\(i).example"}]}
            """
        }.joined(separator: ",\n")
        try write("{\"configurations\": [\(hosts)]}", to: "HostMap.json")
    }

    var plan: ConfigPlan {
        var plan = ConfigPlan(files: .directory(folder), environments: [], bundleIdentifier: "com.example.app")
        plan.requiredLayers = [.base]
        return plan
    }

    var log: LogConfiguration { LogConfiguration(folder: folder + "/logs", sinks: []) }

    var configuration: AshlarApp.Configuration {
        var configuration = AshlarApp.Configuration(
            resources: folder, environments: [], bundleIdentifier: "com.example.app", log: log)
        configuration.languages = ["fr-CA"]
        configuration.brand = CustomizationBrand.none
        return configuration
    }

    func remove() {
        LogSystem.shutdown()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func write(_ text: String, to name: String) throws {
        let file = URL(fileURLWithPath: "\(folder)/\(name)")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }
}
