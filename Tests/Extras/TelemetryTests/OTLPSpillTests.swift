import AshlarLogging
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarTelemetry

/// The spill folder of an ``OTLPSink``: slow and full disks, killed and competing processes.
@Suite struct OTLPSpillTests {
    /// A disk that tests make slow or full.
    private final class Disk: Sendable {
        struct State {
            var room = Int.max
            var isBlocked = false
            var waiting = 0
        }

        let state = Guarded(State())

        func write(_ path: String, _ bytes: [UInt8]) throws {
            state.withLock { $0.waiting += 1 }
            defer { state.withLock { $0.waiting -= 1 } }
            // Ends a failing test.
            for _ in 0..<10_000 where state.withLock({ $0.isBlocked }) { usleep(1000) }
            let fits = state.withLock { state in
                guard bytes.count <= state.room else { return false }
                state.room -= bytes.count
                return true
            }
            guard fits else { throw CocoaError(.fileWriteOutOfSpace) }
            try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
        }
    }

    private func sink(_ collector: Collector, _ folder: TemporaryFolder, _ disk: Disk) -> OTLPSink {
        OTLPSink(
            resource: [:], threshold: .verbose, interval: .seconds(7), limits: .init(batchLines: 4),
            folder: OTLPSpillFolder(folder.path, write: disk.write), send: { collector.receive($0) },
            sleep: { _ in throw Collector.NoTask() }, note: { collector.note($0) })
    }

    private func lines(_ range: Range<Int>) -> [String] { range.map { "line \($0)" } }

    @Test("While the disk is slow, log calls return, and lines reach folder and collector in order")
    func slow() async throws {
        let folder = TemporaryFolder()
        let (collector, disk) = (Collector([nil]), Disk())
        let sink = sink(collector, folder, disk)
        Collector.log(0..<9, to: sink)
        disk.state.withLock { $0.isBlocked = true }
        async let failed: Void = sink.send()
        try await until { disk.state.withLock({ $0.waiting }) != 0 }
        // Neither logging nor counting waits for the disk.
        Collector.log(9..<500, to: sink)
        #expect(sink.lostLines == 0)
        #expect(disk.state.withLock { $0.isBlocked && $0.waiting > 0 }, "the lines waited for the disk")
        disk.state.withLock { $0.isBlocked = false }
        await failed
        sink.flush()
        #expect(folder.batches.count == 3 + 123, "\(folder.batches.count)")
        await sink.send()
        #expect(try collector.messages.dropFirst().flatMap(\.self) == lines(0..<500))
        #expect(folder.batches == [] && sink.lostLines == 0)
    }

    @Test("On a full disk the lines wait in memory, and the next flush with room writes them")
    func full() async throws {
        let folder = TemporaryFolder()
        let (collector, disk) = (Collector([nil, nil]), Disk())
        let sink = sink(collector, folder, disk)
        Collector.log(0..<40, to: sink)
        disk.state.withLock { $0.room = 4000 }
        await sink.send()
        let written = folder.batches.count
        #expect((1..<10).contains(written), "\(folder.batches)")
        Collector.log(40..<44, to: sink)
        sink.flush()
        #expect(folder.batches.count == written)
        disk.state.withLock { $0.room = .max }
        sink.flush()
        // A batch has at most four lines, and fewer if it was taken while lines were logged.
        #expect(folder.batches.count >= 11)
        await sink.send()
        await sink.send()
        #expect(try collector.messages.dropFirst(2).flatMap(\.self) == lines(0..<44))
        #expect(folder.batches == [] && sink.lostLines == 0)
    }

    @Test("A deleted folder is created again; only the lines in it are lost")
    func deleted() async throws {
        let folder = TemporaryFolder()
        let (collector, disk) = (Collector([nil]), Disk())
        let sink = sink(collector, folder, disk)
        Collector.log(0..<8, to: sink)
        await sink.send()
        try FileManager.default.removeItem(atPath: folder.path)
        Collector.log(8..<12, to: sink)
        sink.flush()
        #expect(folder.batches.count == 1)
        await sink.send()
        #expect(try collector.messages.dropFirst().flatMap(\.self) == lines(8..<12))
        #expect(sink.lostLines == 8)
    }

    @Test("FIFOs, links and folders with a batch's name aren't changed")
    func foreign() async throws {
        let folder = TemporaryFolder()
        try folder.make()
        let base = "\(folder.path)/otlp-1700000000000000001-2147483647-1-0000000"
        #expect(mkfifo("\(base)1-3.json", 0o600) == 0)
        #expect(symlink("/etc/hostname", "\(base)2-3.json") == 0)
        #expect(mkdir("\(base)3-3.json", 0o700) == 0)
        let names = folder.batches
        let collector = Collector()
        let sink = sink(collector, folder, Disk())
        await sink.send()
        #expect(try collector.messages == [])
        #expect(folder.batches == names)
    }

    @Test(
        "A new sink adopts no batches of a living sink, and those of a sink that is gone, whatever process has its ID")
    func owners() async throws {
        let folder = TemporaryFolder()
        let first = sink(Collector([nil]), folder, Disk())
        Collector.log(0..<4, to: first)
        await first.send()
        let living = folder.names
        #expect(living.count == 2)
        // Names with the IDs of living processes, as if these had got them again.
        for pid in [getpid(), 1] {
            let start = try #require(ProcessIdentity.start(of: pid))
            for end in ["1-3.json", "2-3.json.tmp"] {
                let name = "otlp-1700000000000000001-\(pid)-\(start)-0000000\(end)"
                try Data(#"{"resourceLogs":[]}"#.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
            }
            // Left by a sink that was killed.
            try folder.write("", to: "otlp-\(pid)-\(start)-00000003.lock")
        }
        let collector = Collector()
        do {
            let second = sink(collector, folder, Disk())
            await second.send()
            #expect(collector.state.withLock { $0.bodies.count } == 2)
            #expect(folder.batches == living.filter { $0.hasSuffix(".json") })
        }
        try await until { folder.names == living }
        await first.send()
        #expect(folder.batches == [] && first.lostLines == 0)
    }

    @Test(
        "A new sink adopts no batches of another process, also if it can't see it, and all of them after its end",
        .timeLimit(.minutes(2)), arguments: [false, true])
    func otherProcess(isContained: Bool) async throws {
        let folder = TemporaryFolder()
        let child = try TestChild("AshlarTelemetryTestChild", [folder.path, "other"])
        if isContained {
            // In a container, the process has another ID.
            let program = try #require(child.process.executableURL).path
            child.process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
            child.process.arguments = ["--pid", "--fork", "--kill-child", program, folder.path, "other"]
        }
        try child.process.run()
        let end = DispatchWorkItem { kill(child.process.processIdentifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: end)
        defer { end.cancel() }
        let isReady = child.firstLine().hasPrefix("ready")
        // Without the right to make a container, there is nothing to test.
        guard isReady || !isContained else { return }
        try await until { folder.batches.count > 10 }
        let collector = Collector()
        let sink = sink(collector, folder, Disk())
        await sink.send()
        #expect(try collector.messages == [])
        kill(child.process.processIdentifier, SIGKILL)
        let count = child.finish().split(separator: "\n").dropLast().compactMap { Int($0) }.last ?? 0
        // The end of a container takes a moment.
        var lines: [String] = []
        try await until {
            let next = self.sink(collector, folder, Disk())
            await next.send()
            lines = try collector.messages.flatMap(\.self)
            return lines.count >= count
        }
        #expect(count > 0 && Array(lines.prefix(count)) == (1...count).map { "other \($0)" })
        #expect(sink.lostLines == 0)
    }

    @Test("Two sinks of one process share a folder: each sends its own lines, and a new one those of both")
    func twoSinks() async throws {
        let folder = TemporaryFolder()
        let collectors = [Collector([nil]), Collector([nil])]
        do {
            let sinks = collectors.map { self.sink($0, folder, Disk()) }
            for (index, sink) in sinks.enumerated() {
                Collector.log(index * 10..<index * 10 + 6, to: sink)
                await sink.send()
            }
            await sinks[0].send()
            #expect(try collectors[0].messages.dropFirst().flatMap(\.self) == lines(0..<6))
            Collector.log(6..<7, to: sinks[0])
            sinks[0].flush()
        }
        try await folder.waitForSinks()
        let collector = Collector()
        let sink = sink(collector, folder, Disk())
        await sink.send()
        #expect(try collector.messages.flatMap(\.self) == lines(10..<16) + lines(6..<7))
        #expect(folder.batches == [])
    }

    /// Two processes log at once; each is killed at a random moment, also while it writes.
    @Test("Processes that share a folder and are killed lose no line that a flush wrote, and none arrives twice")
    func killed() async throws {
        let folder = TemporaryFolder()
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededRandom(seed: seed)
        var acknowledged: [String: Int] = [:]
        for round in 0..<(isSoak ? 200 : 6) {
            let children = try (0..<2).map {
                try TestChild("AshlarTelemetryTestChild", [folder.path, "\(round)-\($0)"])
            }
            let moments = children.map { _ in UInt32.random(in: 0...60_000, using: &generator) }
            let outputs = try await withThrowingTaskGroup(of: (Int, String).self) { group in
                for (index, child) in children.enumerated() {
                    group.addTask {
                        (index, try child.runAndKill(afterMicroseconds: moments[index], ofItsWork: true))
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            for (index, output) in outputs {
                let whole = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                acknowledged["\(round)-\(index)"] = whole.compactMap { Int($0) }.last ?? 0
            }
        }
        let collector = Collector()
        let sink = sink(collector, folder, Disk())
        await sink.send()
        var arrived: [String: [Int]] = [:]
        for message in try collector.messages.flatMap(\.self) {
            let parts = message.split(separator: " ")
            arrived[String(parts[0]), default: []].append(Int(parts[1]) ?? 0)
        }
        #expect(acknowledged.values.reduce(0, +) > 0)
        for (id, count) in acknowledged {
            let numbers = arrived[id] ?? []
            #expect(
                numbers == Array(1..<numbers.count + 1) && numbers.count >= count,
                "\(id), seed \(seed): \(numbers.count) of \(count)")
        }
        #expect(folder.batches == [] && sink.lostLines == 0, "\(folder.batches)")
    }

    @Test("Each line is sent once, lost and counted, or waits, in any order of calls", arguments: 0..<30)
    func model(index: Int) throws {
        let seed = UInt64.random(in: 0 ... .max) &+ UInt64(index)
        var generator = SeededRandom(seed: seed)
        let envelope = OTLPEnvelope(resource: [:])
        let limit = Int.random(in: 1024...4000, using: &generator)
        let clock = Guarded<Int64>(1000)
        let limits = OTLPBacklog.Limits(
            batchLines: Int.random(in: 1...5, using: &generator), batchBytes: 600, memoryBytes: limit,
            diskBytes: limit / 2)
        var backlog = OTLPBacklog(envelope: envelope, limits: limits, clock: { clock.withLock { $0 } })
        var files: [String: [UInt8]] = [:]
        var (added, delivered) = (0, [Int]())
        var sending: [OTLPBacklog.Batch] = []
        var written: [(OTLPBacklog.Batch, String)] = []
        func numbers(_ batch: OTLPBacklog.Batch) throws -> [Int] {
            let body: [UInt8]
            switch batch.place {
            case .memory(let bytes): body = bytes
            case .file(let name): body = try #require(files[name], "seed \(seed): \(name) is gone")
            }
            let text = String(decoding: body, as: UTF8.self)
            return text.split(separator: "#").dropFirst().compactMap { Int($0.prefix { $0.isNumber }) }
        }
        for _ in 0..<400 {
            // The clock can also go back.
            clock.withLock { $0 += Int64.random(in: -5...5, using: &generator) }
            switch Int.random(in: 0..<8, using: &generator) {
            case 0...2:
                backlog.add(
                    Array(
                        "\"#\(added)#\(String(repeating: "x", count: .random(in: 0..<200, using: &generator)))\"".utf8))
                added += 1
            case 3:
                guard sending.isEmpty else { continue }
                backlog.closeBatch()
                sending = backlog.nextRequest()
            case 4:
                for batch in sending {
                    delivered += try numbers(batch)
                    backlog.remove(batch.number, isLost: false)
                }
                sending = []
            case 5:
                if !sending.isEmpty { backlog.giveBack() }
                sending = []
            case 6:
                backlog.closeBatch()
                if let last = backlog.lastBatch, let batch = backlog.firstInMemory(through: last),
                    !written.contains(where: { $0.0.number == batch.number }), case .memory(let body) = batch.place
                {
                    let name = "f\(batch.number)"
                    files[name] = body
                    written.append((batch, name))
                }
            default:
                // A write ends later than other calls.
                if let (batch, name) = written.popLast() { backlog.noteWritten(batch.number, to: name) }
                for name in backlog.takeUnneededFiles() { #expect(files.removeValue(forKey: name) != nil) }
            }
        }
        for batch in sending {
            delivered += try numbers(batch)
            backlog.remove(batch.number, isLost: false)
        }
        for (batch, name) in written { backlog.noteWritten(batch.number, to: name) }
        backlog.closeBatch()
        while let batch = backlog.nextRequest().first {
            delivered += try numbers(batch)
            backlog.remove(batch.number, isLost: false)
        }
        for name in backlog.takeUnneededFiles() { #expect(files.removeValue(forKey: name) != nil) }
        #expect(delivered == delivered.sorted() && Set(delivered).count == delivered.count, "seed \(seed)")
        #expect(delivered.count + backlog.lostLines == added, "seed \(seed)")
        #expect(files.isEmpty && backlog.isEmpty, "seed \(seed)")
    }
}
