import AshlarTestSupport

#if os(Linux) || os(macOS)
    import AshlarAppConfig
    import AshlarRemote
    import Foundation
    import Testing

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// The cache file of a remote document after its process dies; the moments come from a seed.
    @Suite(.timeLimit(.minutes(20))) struct RemoteCrashTests {
        @Test("The cache file contains a complete document after the process dies at any byte of a write")
        func diesWhileWriting() async throws {
            let seed: UInt64 = 51
            var random = SeededRandom(seed: seed)
            for round in 0..<rounds(6, soak: 200) {
                let scratch = try TemporaryFolder([:])
                let path = scratch.file("cache")
                let (first, second) = (random.below(9_000), 20_000 + random.below(200_000))
                let end = 10_000 + random.below(second - 10_000)
                // The system ends a process whose file grows beyond its limit.
                await #expect(processExitsWith: .signal(SIGXFSZ), "seed \(seed), round \(round)") {
                    [path = path as String, first = first as Int, second = second as Int, end = end as Int] in
                    let store = CachedStore(path, sizes: [first, second], secondLimit: end)
                    try await store.store.refresh()
                    _ = try? await store.store.refresh()
                }
                let cached = RemoteConfigSource("remote", cache: path) { _ in .notModified }
                #expect(cached.status.error == nil, "seed \(seed), round \(round): byte \(end) of \(second)")
                #expect(try CachedStore.value(of: cached) == 1, "seed \(seed), round \(round)")
                // The next process can write the file, too.
                let next = CachedStore(path, sizes: [first, second])
                try await next.store.refresh()
                #expect(RemoteConfigSource("remote", cache: path) { _ in .notModified }.status.version == "2")
            }
        }

        @Test("The cache file contains a complete document after the process is killed at any time")
        func killed() async throws {
            let seed: UInt64 = 52
            var random = SeededRandom(seed: seed)
            for round in 0..<rounds(6, soak: 200) {
                let scratch = try TemporaryFolder([:])
                let path = scratch.file("cache")
                let pause = random.below(20_000)
                await #expect(processExitsWith: .signal(SIGKILL), "seed \(seed), round \(round)") {
                    [path = path as String, pause = pause as Int] in
                    let store = CachedStore(path, sizes: (0..<64).map { $0 * 9_973 % 300_000 })
                    try await store.store.refresh()
                    Thread.detachNewThread {
                        usleep(UInt32(pause))
                        kill(getpid(), SIGKILL)
                    }
                    let end = Date() + 60
                    while Date() < end { try await store.store.refresh() }
                }
                try #require(FileManager.default.fileExists(atPath: path), "seed \(seed), round \(round)")
                let cached = RemoteConfigSource("remote", cache: path) { _ in .notModified }
                #expect(cached.status.error == nil, "seed \(seed), round \(round): \(pause) µs")
                let version = try #require(cached.status.version)
                #expect(try CachedStore.value(of: cached) == Int(version), "seed \(seed), round \(round)")
            }
        }
    }

    /// A store over a remote source with a cache file, whose documents are numbered and have given sizes.
    private struct CachedStore {
        let source: RemoteConfigSource
        let store: ConfigStore

        /// Creates a store of a process whose files can't grow beyond a limit from the second document on.
        init(_ path: String, sizes: [Int], secondLimit: Int? = nil) {
            let verified = Counter()
            source = RemoteConfigSource(
                "remote", cache: path,
                verify: { _, _ in
                    // A document is written on the thread that has verified it.
                    if verified.next() == 1, let secondLimit { Self.limitFiles(to: secondLimit) }
                    return true
                },
                fetch: { version in
                    let number = (version.flatMap { Int($0) } ?? 0) + 1
                    let filler = String(repeating: "x", count: sizes[(number - 1) % sizes.count])
                    let text = "{\"n\": \(number), \"s\": \"\(filler)\"}"
                    return .document(Array(text.utf8), version: "\(number)", signature: [])
                })
            store = ConfigStore(loadingBestEffort: Self.plan(source))
        }

        /// Ends the process when this thread writes a file beyond a size.
        private static func limitFiles(to size: Int) {
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGXFSZ)
            signal(SIGXFSZ, SIG_DFL)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            var limit = rlimit(rlim_cur: rlim_t(size), rlim_max: rlim_t(size))
            _ = setrlimit(Self.fileSize, &limit)
        }

        static func plan(_ source: RemoteConfigSource) -> ConfigPlan {
            var plan = ConfigPlan(files: .memory(["ApplicationConfig.json": "{}"]), environments: [])
            plan.add(source)
            return plan
        }

        static func value(of source: RemoteConfigSource) throws -> Int? {
            try ApplicationConfig.load(plan(source)).int(forKey: "n")
        }

        #if canImport(Glibc)
            static let fileSize = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
            static let fileSize = RLIMIT_FSIZE
        #endif
    }
#endif
