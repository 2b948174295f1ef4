import AshlarTestSupport
import Foundation
import Testing

@testable import Ashlar

/// What an app finds of its previous run.
///
/// Each run is a process of its own.
@Suite(.timeLimit(.minutes(5))) struct StorageTests {
    /// Starts an app with its defaults, except for the folder of the platform.
    static func start(home: String, flavor: String? = nil, log: LogConfiguration? = LogConfiguration(sinks: []))
        -> AshlarApp
    {
        setenv("XDG_STATE_HOME", home, 1)
        setenv("HOME", home, 1)
        setenv("SWIFT_BACKTRACE", "enable=no", 1)
        try? FileManager.default.createDirectory(atPath: home + "/Resources", withIntermediateDirectories: true)
        var configuration = AshlarApp.Configuration(resources: home + "/Resources", environments: [])
        configuration.flavor = flavor
        configuration.log = log
        configuration.hostMap = "HostMap.json"
        return AshlarApp(configuration)
    }

    #if os(Linux) || os(macOS)
        /// Returns what the next run of the app says about the one before.
        private func verdict(home: String) async throws -> (outcome: String, log: String) {
            await #expect(processExitsWith: .success) { [home = home as String] in
                let app = Self.start(home: home)
                let prior = try #require(app.logging?.priorRun)
                #expect(app.explain("log").contains("previous run: \(prior.outcome)"))
                try "\(prior.outcome)\n\(prior.log)".write(toFile: home + "/verdict", atomically: true, encoding: .utf8)
                // This run must not be the previous run of the next one.
                exit(0)
            }
            let parts = try String(contentsOfFile: home + "/verdict", encoding: .utf8).split(
                separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), String(parts.last ?? ""))
        }

        @Test("The log of a run that trapped, was killed or ended is there in the next run, with its ending")
        func endings() async throws {
            let folder = TemporaryFolder()
            let home = folder.path
            await #expect(processExitsWith: .failure) { [home = home as String] in
                _ = Self.start(home: home)
                Log("App").info("before the trap")
                let numbers = [CommandLine.arguments.count]
                print(numbers[numbers.count + 2])
            }
            let trapped = try await verdict(home: home)
            #expect(trapped.outcome == "crashed: SIGILL" || trapped.outcome == "crashed: SIGTRAP")
            #expect(trapped.log.contains("before the trap"))
            // An optimized program traps in its own code, another one in the standard library.
            let program = try #require(CommandLine.arguments.first?.split(separator: "/").last)
            #expect(trapped.log.contains("libswiftCore") || trapped.log.contains(program), "\(trapped.log)")

            await #expect(processExitsWith: .signal(SIGKILL)) { [home = home as String] in
                _ = Self.start(home: home)
                Log("App").info("before the kill")
                kill(getpid(), SIGKILL)
            }
            let killed = try await verdict(home: home)
            #expect(killed.outcome == "killed" && killed.log.contains("before the kill"))

            await #expect(processExitsWith: .success) { [home = home as String] in
                _ = Self.start(home: home)
                Log("App").info("before the end")
                exit(0)
            }
            let ended = try await verdict(home: home)
            #expect(ended.outcome == "clean" && ended.log.contains("before the end"))
        }

        @Test("The log is in the platform's folder for the application and flavor, and the app says where")
        func places() async throws {
            let folder = TemporaryFolder()
            await #expect(processExitsWith: .success) { [home = folder.path as String] in
                var log = LogConfiguration(sinks: [])
                log.application = "notes"
                for (flavor, place) in [(nil, "notes"), ("acme", "notes/acme"), ("../x/y", "notes/_._x_y")]
                    as [(String?, String)]
                {
                    let app = Self.start(home: home, flavor: flavor, log: log)
                    guard case .file(let path) = try #require(app.logging).storage else {
                        Issue.record("the log is in memory")
                        return
                    }
                    #if os(Linux)
                        #expect(path.hasPrefix("\(home)/\(place)/logs/"), "\(path)")
                    #endif
                    #expect(
                        app.explain("log").contains(path) && app.explain("flavor").contains("/logs, from the storage"))
                }
            }
        }

        @Test("Selections of hosts are stored per flavor by default; storage in memory stores nothing")
        func hostChoices() async throws {
            let folder = TemporaryFolder()
            await #expect(processExitsWith: .success) { [home = folder.path as String] in
                try FileManager.default.createDirectory(atPath: home + "/Resources", withIntermediateDirectories: true)
                try TemporaryFolder.hostMap.write(
                    toFile: home + "/Resources/HostMap.json", atomically: true, encoding: .utf8)
                let app = Self.start(home: home, log: nil)
                try app.hosts.select("DEV", for: "api.example")
                #expect(Self.start(home: home, log: nil).hosts.resolve("api.example")?.host == "dev.example")
                #expect(
                    Self.start(home: home, flavor: "acme", log: nil).hosts.resolve("api.example")?.host == "www.example"
                )
                let files = FileManager.default.enumerator(atPath: home)?.allObjects.compactMap { $0 as? String } ?? []
                let choices = try #require(files.first { $0.hasSuffix("HostChoices.json") })
                let mode = try FileManager.default.attributesOfItem(
                    atPath: home + "/" + choices.dropLast("/HostChoices.json".count))[.posixPermissions]
                #expect(mode as? Int == 0o700)

                var configuration = AshlarApp.Configuration.inMemory(resources: home + "/Resources", environments: [])
                configuration.log = LogConfiguration(sinks: [])
                let memory = AshlarApp(configuration)
                #expect(
                    memory.logging?.storage == .memory(0) && memory.hosts.resolve("api.example")?.host == "www.example")
                #expect(!memory.issues.contains { $0.part == .log })
            }
        }

        @Test("Without a home folder, the log is in memory, and that is an issue")
        func homeless() async throws {
            let folder = TemporaryFolder()
            await #expect(processExitsWith: .success) { [home = folder.path as String] in
                unsetenv("HOME")
                unsetenv("XDG_STATE_HOME")
                let app = AshlarApp(AshlarApp.Configuration(resources: home, log: LogConfiguration(sinks: [])))
                #expect(app.logging?.storage == .memory(0))
                #expect(app.issues.contains { $0.part == .log && $0.message.contains("no home folder") })
            }
        }
    #endif
}
