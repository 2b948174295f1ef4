#if os(Linux)
    import AshlarFleet
    import Foundation

    /// A process of the fleet: it works on jobs, has a setting that all share, and prints what it sees.
    struct Participant {
        let role: String
        let server: String

        private static let jobs = Topic<Int>("job:new")
        private static let notes = Topic<String>("note:shown")

        func run() async throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fleet-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try Data(#"{"jobs": {"pause": 10}}"#.utf8).write(
                to: folder.appendingPathComponent("ApplicationConfig.json"))

            var configuration = AshlarApp.Configuration(resources: folder.path, environments: [], log: nil)
            configuration.storage = .memory
            configuration.fleet = FleetSettings()
            let app = AshlarApp(configuration)

            var topics = FleetTopics()
            topics.share(Self.jobs, .atLeastOnce)
            topics.share(Self.notes)
            var options = FleetOptions()
            options.reconnectPause = .milliseconds(100)
            let fleet = try await Fleet.connect(
                app, to: server, role: role, options: options, topics: topics)

            let watches = [
                app.bus.watch(Fleet.stateChanged) { say(Self.word(for: $0.payload)) },
                app.bus.watch(Self.notes) { say("note: \($0.payload)") },
            ]
            if role == "worker" {
                app.bus.watch(Self.jobs) { say("job \($0.payload)") }.store(in: bag)
            }
            let settings = Task {
                var last: Int?
                for await config in app.config.changes() {
                    guard let pause = config.int(forKey: "jobs.pause"), pause != last else { continue }
                    last = pause
                    say("jobs.pause is \(pause)")
                }
            }
            let leading = Task {
                try await fleet.lead("cleaning", lease: .seconds(2)) { _ in
                    say("leads the cleaning")
                    try await Task.sleep(for: .seconds(60))
                }
            }
            // Commands arrive as lines, until the input ends.
            while let line = await nextLine() {
                let words = line.split(separator: " ", maxSplits: 1).map(String.init)
                switch words.first {
                case "job": app.bus.trigger(Self.jobs, Int(words.last ?? "") ?? 0)
                case "note": app.bus.trigger(Self.notes, words.last ?? "")
                case "set": try await fleet.set("jobs.pause", to: Int(words.last ?? "") ?? 0)
                default: break
                }
            }
            leading.cancel()
            _ = await leading.result
            try await fleet.flush()
            settings.cancel()
            await fleet.close()
            for watch in watches { watch.cancel() }
        }

        private let bag = WatchBag()

        private static func word(for state: FleetState) -> String {
            switch state {
            case .connected: "connected"
            case .reconnecting: "reconnecting"
            case .closed: "closed"
            }
        }

        private func say(_ text: String) {
            try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
        }

        /// Reads a line on a thread of its own, because the read blocks.
        private func nextLine() async -> String? {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: readLine()) }
            }
        }
    }
#endif
