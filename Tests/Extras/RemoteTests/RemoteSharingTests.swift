import AshlarTestSupport

#if os(Linux) || os(macOS)
    import Ashlar
    import AshlarCore
    import Foundation
    import Testing

    @testable import AshlarRemote

    /// Sources that share one cache file, in one process and in several.
    @Suite(.timeLimit(.minutes(10))) struct RemoteSharingTests {
        /// A source whose documents have these numbers, and a store that uses it; `during` runs in each fetch.
        private static func store(
            _ path: String, _ numbers: [Int], verify: (@Sendable ([UInt8], [UInt8]) throws -> Bool)? = nil,
            during: @escaping @Sendable () async throws -> Void = {}
        ) -> (source: RemoteConfigSource, store: ConfigStore) {
            let rest = Mutex(numbers)
            let source = RemoteConfigSource("remote", cache: path, verify: verify) { _ in
                let number = rest.withLock { $0.removeFirst() }
                try await during()
                return .document(Array("{\"n\": \(number)}".utf8), version: "\(number)", signature: [1])
            }
            var plan = ConfigPlan(files: .memory(["ApplicationConfig.json": "{\"n\": 0}"]), environments: [])
            plan.add(source)
            return (source, ConfigStore(loadingBestEffort: plan))
        }

        /// The version in the cache file, as the next process reads it.
        private static func cachedVersion(_ path: String) -> String? {
            RemoteConfigSource("remote", cache: path) { _ in .notModified }.status.version
        }

        @Test("An older document that arrives late doesn't replace a newer one in the cache file")
        func lateArrival() async throws {
            let scratch = try TemporaryFolder([:])
            let path = scratch.file("cache")
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            let (entered, enter) = AsyncStream.makeStream(of: Void.self)
            let first = Self.store(
                path, [1, 4],
                during: {
                    enter.yield()
                    for await _ in gate { break }
                })
            let second = Self.store(path, [2, 3])
            let late = Task { try await first.store.refresh() }
            for await _ in entered { break }
            try await second.store.refresh()
            #expect(Self.cachedVersion(path) == "2")
            open.yield()
            _ = try await late.value
            #expect(first.store.current.int(forKey: "n") == 1)
            #expect(first.source.status.error == nil)
            #expect(Self.cachedVersion(path) == "2")
            // Later documents of both replace it.
            try await second.store.refresh()
            #expect(Self.cachedVersion(path) == "3")
            open.yield()
            try await first.store.refresh()
            #expect(Self.cachedVersion(path) == "4")
        }

        @Test("A response without changes is an error if there is no document")
        func unchangedNothing() async throws {
            let scratch = try TemporaryFolder([:])
            let source = RemoteConfigSource("remote", cache: scratch.file("cache")) { _ in .notModified }
            let error = await #expect(throws: ConfigError.self) { try await source.refresh() }
            #expect(error?.description == "the document hasn't changed, but there is none (remote)")
            #expect(source.status.date == nil && source.status.failure?.code == .malformedSource)
        }

        @Test("A confirmed document has its new date in the status, in explanations, and in the next process")
        func confirmation() async throws {
            let scratch = try TemporaryFolder([:])
            let path = scratch.file("cache")
            let old = Date().timeIntervalSinceReferenceDate - 1_000
            try StoredDocument(bytes: Array(#"{"n": 1}"#.utf8), version: "1", signature: nil, date: old).write(to: path)
            let source = RemoteConfigSource("remote", cache: path) { _ in .notModified }
            var plan = ConfigPlan(files: .memory(["ApplicationConfig.json": "{}"]), environments: [])
            plan.add(source)
            let store = try ConfigStore(loading: plan)
            func age(_ date: Date?) -> Double { -(date?.timeIntervalSinceNow ?? -.infinity) }
            #expect(age(store.current.explain("n").winner?.date) >= 1_000)
            // Without a load of the store, as a refresh at intervals does it.
            try await source.refresh()
            #expect(age(source.status.date) < 500)
            #expect(age(store.current.explain("n").winner?.date) < 500)
            #expect(age(RemoteConfigSource("remote", cache: path) { _ in .notModified }.status.date) < 500)
        }

        @Test("A new process starts with the document that was confirmed last")
        func confirmedLast() async throws {
            let scratch = try TemporaryFolder([:])
            let path = scratch.file("cache")
            let answers = Mutex<[RemoteConfigSource.Response]>([.document(Array("{}".utf8), version: "1")])
            let one = RemoteConfigSource("remote", cache: path) { _ in
                answers.withLock { $0.popLast() } ?? .notModified
            }
            try await one.refresh()
            let two = RemoteConfigSource("remote", cache: path) { _ in .document(Array("[]".utf8), version: "bad") }
            await #expect(throws: ConfigError.self) { try await two.refresh() }
            let three = RemoteConfigSource("remote", cache: path) { _ in
                .document(Array(#"{"n": 2}"#.utf8), version: "2")
            }
            try await three.refresh()
            #expect(Self.cachedVersion(path) == "2")
            try await one.refresh()
            #expect(one.status.version == "1" && Self.cachedVersion(path) == "1")
        }

        @Test("A cached document with a higher revision stays")
        func higherRevision() async throws {
            let scratch = try TemporaryFolder([:])
            let path = scratch.file("cache")
            func source(_ revision: Int) -> RemoteConfigSource {
                RemoteConfigSource("remote", cache: path) { _ in
                    .document(Array("{\"$revision\": \(revision)}".utf8), version: "\(revision)")
                }
            }
            let (old, new) = (source(5), source(6))
            try await new.refresh()
            try await old.refresh()
            #expect(old.status.version == "5" && old.status.error == nil)
            #expect(Self.cachedVersion(path) == "6")
        }

        @Test("A cached document from the future, without a valid signature, or malformed is replaced")
        func unusableDocuments() async throws {
            for (text, delay, signature, isPreserved) in [
                ("{}", -60, 1, false), ("{}", 0.05, 1, true), ("{}", 3600, 1, false), ("{}", .infinity, 1, false),
                ("{}", .nan, 1, false), ("{", 0.05, 1, false), ("{}", 0.05, 2, false),
            ] as [(String, Double, UInt8, Bool)] {
                let scratch = try TemporaryFolder([:])
                let path = scratch.file("cache")
                // Another process writes the file while this one fetches.
                let own = Self.store(
                    path, [1], verify: { $1 == [1] },
                    during: {
                        let now = Date().timeIntervalSinceReferenceDate
                        let other = StoredDocument(
                            bytes: Array(text.utf8), version: "other", signature: [signature], date: now + delay)
                        try other.write(to: path)
                        try await until { Date().timeIntervalSinceReferenceDate >= now + 0.05 }
                    })
                try await own.store.refresh()
                #expect(own.store.current.int(forKey: "n") == 1)
                let expected = isPreserved ? "other" : "1"
                #expect(Self.cachedVersion(path) == expected, "\(text), \(delay) s, signature \(signature)")
            }
        }

        @Test(
            "Two processes that share a cache file leave whole documents, and never an older one, even if one is killed"
        )
        func twoProcesses() async throws {
            let seed: UInt64 = 61
            var random = SeededRandom(seed: seed)
            for round in 0..<rounds(2, soak: 50) {
                let scratch = try TemporaryFolder([:])
                let path = scratch.file("cache")
                let isOver = Mutex(false)
                let observer = Task.detached {
                    var (last, seen, problems) = (-Double.infinity, 0, [String]())
                    while !isOver.withLock({ $0 }) {
                        try? await Task.sleep(for: .microseconds(100))
                        let cached = RemoteConfigSource("remote", cache: path) { _ in .notModified }
                        let status = cached.status
                        if let error = status.error { problems.append("\(error)") }
                        guard let date = status.date?.timeIntervalSinceReferenceDate else { continue }
                        if date < last { problems.append("\(last) → \(date)") }
                        seen += date > last ? 1 : 0
                        last = date
                    }
                    return (seen: seen, problems: problems)
                }
                let (pause, numbers) = (500_000 + random.below(1_000_000), (random.below(1000), random.below(1000)))
                async let survivor: Void = Self.refresh(path, seed: numbers.0, killedAfter: nil)
                async let victim: Void = Self.refresh(path, seed: numbers.1, killedAfter: pause)
                _ = await (survivor, victim)
                isOver.withLock { $0 = true }
                let (seen, problems) = await observer.value
                #expect(seen > 0 && problems.isEmpty, "seed \(seed), round \(round): \(problems)")
                // The version is the time of the fetch, and the content contains it.
                let cached = RemoteConfigSource("remote", cache: path) { _ in .notModified }
                var plan = ConfigPlan(files: .memory(["ApplicationConfig.json": "{}"]), environments: [])
                plan.add(cached)
                let version = try #require(cached.status.version)
                #expect(try ApplicationConfig.load(plan).int(forKey: "n") == Int(version))
            }
        }

        @Test("A document that one process stored is read by the next one, which has no network")
        func nextProcess() async throws {
            let scratch = try TemporaryFolder([:])
            let path = scratch.file("cache")
            let text = #"{"n": 7, "$revision": 5}"#
            let before = Date()
            await #expect(processExitsWith: .success) { [path = path as String, text = text as String] in
                let source = RemoteConfigSource(
                    "remote", cache: path, verify: { $1 == [1, 2] },
                    fetch: { _ in .document(Array(text.utf8), version: "\"ä\n1\"", signature: [1, 2]) })
                var plan = ConfigPlan(files: .memory(["ApplicationConfig.json": #"{"n": 0}"#]), environments: [])
                plan.add(source)
                try await ConfigStore(loading: plan).refresh()
            }
            struct Down: Error {}
            let (asked, signed) = (Recorder<String?>(), Recorder<[UInt8]>())
            let answers = Mutex<[RemoteConfigSource.Response]>([])
            let source = RemoteConfigSource(
                "remote", cache: path,
                verify: {
                    signed.note($0)
                    return $1 == [1, 2]
                },
                fetch: { version in
                    asked.note(version)
                    guard let answer = answers.withLock({ $0.popLast() }) else { throw Down() }
                    return answer
                })
            #expect(source.status.error == nil)
            #expect(source.status.version == "\"ä\n1\"")
            let date = try #require(source.status.date)
            #expect(date >= before && date <= Date())
            #expect(signed.take() == [RemoteConfigSource.signedBytes(of: Array(text.utf8), name: "remote")])
            var plan = ConfigPlan(files: .memory(["ApplicationConfig.json": #"{"n": 0}"#]), environments: [])
            plan.add(source)
            let store = try ConfigStore(loading: plan)
            #expect(store.current.int(forKey: "n") == 7)
            #expect(store.current.explain("n").description.hasPrefix("n = 7\n  from remote:1 (source, "))
            await #expect(throws: ConfigError.self) { try await store.refresh() }
            #expect(asked.take() == ["\"ä\n1\""])
            #expect(store.current.int(forKey: "n") == 7)
            // The revision was stored, too.
            answers.withLock { $0 = [.document(Array(#"{"n": 8, "$revision": 4}"#.utf8), signature: [1, 2])] }
            let error = await #expect(throws: ConfigError.self) { try await store.refresh() }
            let failure = try #require(error?.underlying as? RemoteError)
            #expect(failure.code == .outdated)
        }

        @Test("An app starts without a network with the configuration that an earlier process fetched")
        func nextStart() async throws {
            let folder = try TemporaryFolder([
                "ApplicationConfig.json": #"{"title": "shipped"}"#, "cache/.keep": "",
            ])
            let path = folder.path
            await #expect(processExitsWith: .success) { [path = path as String] in
                let text = Array(#"{"title": "remote"}"#.utf8)
                let app = Self.app(
                    path, StubTransport(["GET /c": StubResponse(headers: ["ETag": "\"1\""], chunks: [text])]))
                #expect(app.config.current.string(forKey: "title") == "shipped")
                #expect(await app.refresh().isEmpty)
                #expect(app.config.current.string(forKey: "title") == "remote")
            }
            await #expect(processExitsWith: .success) { [path = path as String] in
                let asked = Recorder<String?>()
                let app = Self.app(
                    path,
                    StubTransport { request throws(NetworkError) in
                        asked.note(request.headers["If-None-Match"])
                        throw NetworkError(.cannotConnect, "no network", phase: .connect)
                    })
                // A parent process prints only the comments of an expectation.
                let issues = app.issues.filter { $0.part == .configuration }
                #expect(issues.isEmpty, "\(issues)")
                #expect(app.config.current.string(forKey: "title") == "remote", "the title of the start")
                #expect(app.explain("title").contains("from remote:1 (source, "), "\(app.explain("title"))")
                let failures = await app.refresh()
                #expect(failures.map(\.part) == [.configuration], "\(failures)")
                let tags = asked.take()
                #expect(!tags.isEmpty && tags.allSatisfy { $0 == "\"1\"" }, "\(tags)")
                #expect(app.config.current.string(forKey: "title") == "remote")
            }
        }

        private static func app(_ path: String, _ transport: StubTransport) -> AshlarApp {
            var configuration = AshlarApp.Configuration(resources: path, environments: [], log: nil)
            configuration.storage = .memory
            configuration.remote = RemoteFiles(cache: path + "/cache")
            configuration.remote?.configuration = "https://config.example/c"
            configuration.transport = transport
            return AshlarApp(configuration)
        }

        /// Refreshes documents in a child process, with random pauses during the fetches.
        private static func refresh(_ path: String, seed: Int, killedAfter pause: Int?) async {
            await #expect(processExitsWith: pause == nil ? .success : .signal(SIGKILL), "seed \(seed)") {
                [path = path as String, seed = seed as Int, pause = pause as Int?] in
                let random = Mutex(SeededRandom(seed: UInt64(seed)))
                let source = RemoteConfigSource("remote", cache: path) { _ in
                    let number = Int(Date().timeIntervalSince1970 * 1_000_000)
                    usleep(UInt32(random.withLock { $0.below(15_000) }))
                    let filler = String(repeating: "x", count: number % 2_000)
                    return .document(Array("{\"n\": \(number), \"s\": \"\(filler)\"}".utf8), version: "\(number)")
                }
                var plan = ConfigPlan(files: .memory(["ApplicationConfig.json": "{}"]), environments: [])
                plan.add(source)
                let store = ConfigStore(loadingBestEffort: plan)
                let end = Date() + 60
                var round = 0
                while round < (pause == nil ? 100 : .max), Date() < end {
                    round += 1
                    if round == 5, let pause {
                        Thread.detachNewThread {
                            usleep(UInt32(pause))
                            kill(getpid(), SIGKILL)
                        }
                    }
                    try await store.refresh()
                    #expect(source.status.error == nil)
                }
            }
        }
    }
#endif
