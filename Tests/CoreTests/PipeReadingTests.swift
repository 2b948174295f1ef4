#if os(Linux)
    import AshlarTestSupport
    import Foundation
    import Synchronization
    import Testing

    private let interruptions = Atomic(0)

    @Suite struct PipeReadingTests {
        @Test("Signals that interrupt a reader of a pipe don't end its reading", .timeLimit(.minutes(2)))
        func interrupted() async {
            // In its own process, because a method of `FileHandle` would end it.
            await #expect(processExitsWith: .success) {
                _ = interruptions.load(ordering: .relaxed)
                var action = sigaction()
                // Without `SA_RESTART`.
                action.__sigaction_handler.sa_handler = { _ in _ = interruptions.add(1, ordering: .relaxed) }
                #expect(sigaction(SIGUSR2, &action, nil) == 0)
                let pipe = Pipe()
                let reader = Locked<pthread_t?>(nil)
                let texts = Recorder<String>()
                Thread.detachNewThread {
                    // A thread of Swift's pool starts the child, which inherits the mask of its signals.
                    var none = sigset_t()
                    sigemptyset(&none)
                    pthread_sigmask(SIG_SETMASK, &none, nil)
                    reader.withLock { $0 = pthread_self() }
                    texts.note(pipe.readLine())
                    texts.note(pipe.readText())
                }
                try await until { reader.withLock { $0 } != nil }
                let thread = try #require(reader.withLock { $0 })
                for part in ["a", "b\nc", "d\n"] {
                    let goal = interruptions.load(ordering: .relaxed) + 20
                    try await until {
                        pthread_kill(thread, SIGUSR2)
                        return interruptions.load(ordering: .relaxed) >= goal
                    }
                    try pipe.fileHandleForWriting.write(contentsOf: Data(part.utf8))
                }
                try pipe.fileHandleForWriting.close()
                try await until { texts.items.count == 2 }
                #expect(texts.items == ["ab", "cd\n"])
            }
        }
    }
#endif
