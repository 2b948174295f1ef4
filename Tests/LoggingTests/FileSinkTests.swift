import AshlarBase
import AshlarTestSupport
import CAshlarLogging
import Foundation
import Testing

@testable import AshlarLogging

@Suite struct FileSinkTests {
    private func contents(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

    @Test("Lines are appended immediately, in the sink's own format")
    func appends() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/errors.log"
        try Data("before\n".utf8).write(to: URL(fileURLWithPath: path))
        let sink = FileSink(path: path, format: .logfmt, threshold: .error)
        let system = TestSystem { $0.sinks = [sink] }
        system.log().info("no")
        system.log().error("a b", ["k": 1])
        let lines = try #require(contents(path)).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0] == "before")
        #expect(lines[1].hasSuffix(" level=ERROR context=A msg=\"a b\" k=1"))
    }

    @Test("A file that was moved or deleted is created again for its owner only")
    func moved() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/a.log"
        let sink = FileSink(path: path, format: .myLogger)
        let system = TestSystem { $0.sinks = [sink] }
        for index in 1...10 { system.log().info("line \(index)") }
        try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
        for index in 11...300 { system.log().info("line \(index)") }
        let all = try #require(contents(path + ".old")) + #require(contents(path))
        #expect(all == (1...300).map { "[INFO] A - line \($0)\n" }.joined())
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test("A descriptor that the app reused is neither written to nor closed")
    func takenNumber() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let (path, precious) = (folder.path + "/a.log", folder.path + "/precious")
        let sink = FileSink(path: path, format: .myLogger)
        let system = TestSystem { $0.sinks = [sink] }
        system.log().info("one")
        let (number, host) = (sink.descriptor, open(precious, O_CREAT | O_RDWR, 0o600))
        try #require(number >= 0 && dup2(host, number) == number)
        system.log().info("two")
        #expect(contents(path) == "[INFO] A - one\n[INFO] A - two\n")
        #expect(contents(precious)?.isEmpty == true)
        #expect(close(number) == 0)
        close(host)
    }

    @Test("At its limit the file is renamed and replaces the previously renamed one")
    func limit() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/a.log"
        let sink = FileSink(path: path, format: .myLogger, rotation: LogFileRotation(maximumBytes: 100))
        let system = TestSystem { $0.sinks = [sink] }
        for index in 1...50 { system.log().info("line \(index)") }
        system.log().info(String(repeating: "z", count: 200))
        #expect(folder.names.count { $0.hasPrefix("a.log") } == 2)
        #expect(contents(path) == "[INFO] A - " + String(repeating: "z", count: 200) + "\n")
        let before = try #require(contents(path + ".1"))
        #expect(before.hasSuffix("[INFO] A - line 50\n") && before.utf8.count <= 100)
    }

    @Test("A file that can't be created is a failure of the sink; later lines arrive once it can")
    func failure() throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/a.log"
        let sink = FileSink(path: path, format: .myLogger)
        func send(_ text: String) -> Bool {
            sink.receive(LogRecord.notice(text))
        }
        #expect(!send("one"))
        try folder.make()
        #expect(send("two"))
        #expect(contents(path) == "[WARNING] AshlarLogging - two\n")
        let secret = folder.path + "/secret"
        try Data().write(to: URL(fileURLWithPath: secret))
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: secret)
        let link = FileSink(path: folder.path + "/link")
        #expect(!link.receive(LogRecord.notice("x")))
        #expect(contents(secret) == "")
    }

    @Test("Two sinks and many threads don't mix lines of one file", .timeLimit(.minutes(isSoak ? 20 : 2)))
    func shared() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/a.log"
        let sinks = [FileSink(path: path, format: .myLogger), FileSink(path: path, format: .myLogger)]
        let text = String(repeating: "x", count: 300)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for _ in 0..<200 { _ = sinks[thread % 2].receive(LogRecord.notice(text)) }
        }
        let lines = try #require(contents(path)).split(separator: "\n")
        #expect(lines.count == 800)
        #expect(lines.allSatisfy { $0 == "[WARNING] AshlarLogging - \(text)" })
    }
}

@Suite(.serialized) struct FileRotationTests {
    private func send(_ text: String, _ second: Int64, to sink: FileSink) -> Bool {
        let copy = LogRecord(
            sequence: 1, level: .info, time: LogTime(nanoseconds: second * 1_000_000_000), depth: 0, context: "A",
            message: text, fields: [:], file: "F", function: "f", line: 1, threadID: 1)
        return sink.receive(copy)
    }

    private func contents(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

    @Test("A scheduled file ends at the full hour or at local midnight")
    func schedule() throws {
        let now = Int64(Date().timeIntervalSince1970)
        for schedule in [LogFileRotation.Schedule.hourly, .daily] {
            let folder = TemporaryFolder()
            try folder.make()
            let path = folder.path + "/a.log"
            let sink = FileSink(
                path: path, format: .myLogger, rotation: LogFileRotation(schedule: schedule, retainedFiles: 2))
            let end = schedule.end(after: now)
            #expect(send("one", now, to: sink) && send("two", end - 1, to: sink) && send("three", end, to: sink))
            #expect(contents(path) == "[INFO] A - three\n")
            #expect(contents(path + ".1") == "[INFO] A - one\n[INFO] A - two\n")
            #expect(end > now && end - now <= (schedule == .hourly ? 3600 : 90_000))
            let parts = Calendar.current.dateComponents(
                [.hour, .minute, .second], from: Date(timeIntervalSince1970: Double(end)))
            #expect(parts.minute == 0 && parts.second == 0 && (schedule == .hourly || parts.hour == 0))
        }
    }

    /// Zones whose clocks change at night, at midnight, by half an hour, or by a day.
    @Test(
        "Periods end when the local hour or day changes, also when the clock is changed",
        arguments: [
            "UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "America/Santiago", "Asia/Beirut",
            "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "America/St_Johns", "Africa/Casablanca",
        ])
    func clockChanges(name: String) throws {
        let zone = try #require(TimeZone(identifier: name))
        let offset: (Int64) -> Int = { zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0))) }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededRandom(seed: seed)
        var moments: [Int64] = (0..<20).map { _ in .random(in: 0...1_900_000_000, using: &generator) }
        var change = Date(timeIntervalSince1970: 1_200_000_000)
        while let next = zone.nextDaylightSavingTimeTransition(after: change), moments.count < 400 {
            let second = Int64(next.timeIntervalSince1970)
            moments += (0..<6).map { _ in second + Int64.random(in: -90_000...90_000, using: &generator) }
            moments += [second - 1, second, second + 1]
            change = next
        }
        for second in moments {
            for (schedule, unit) in [(LogFileRotation.Schedule.hourly, Calendar.Component.hour), (.daily, .day)] {
                let end = schedule.end(after: second, offset: offset)
                let parts = { calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: $0) }
                let times = [second, end - 1, end].map { parts(Date(timeIntervalSince1970: Double($0))) }
                let (first, last, next) = (times[0], times[1], times[2])
                let same = unit == .hour ? first.hour == last.hour && first.day == last.day : first.day == last.day
                let differs = unit == .hour ? next.hour != last.hour : next.day != last.day
                // A clock that goes back over midnight begins a day twice.
                let isLong = end - second <= (unit == .hour ? 7200 : 90_000)
                #expect(
                    end > second && same && differs && isLong, "\(name), \(schedule), \(second), seed \(seed): \(end)")
            }
        }
    }

    @Test("Two sinks of one file rotate it together: no line is lost, and no file is rotated before it is full")
    func shared() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/a.log"
        let rotation = LogFileRotation(maximumBytes: 200, retainedFiles: 30)
        let sinks = (0..<2).map { _ in FileSink(path: path, format: .myLogger, rotation: rotation) }
        for index in 100..<220 { #expect(send("line \(index)", 5, to: sinks[index % 2])) }
        let files = (0..<folder.names.count).map { $0 == 0 ? path : "\(path).\($0)" }
        let lines = files.reversed().compactMap(contents).flatMap { $0.split(separator: "\n").map(String.init) }
        #expect(lines.sorted() == (100..<220).map { "[INFO] A - line \($0)" })
        let sizes = files.dropFirst().map { contents($0)?.utf8.count ?? 0 }
        #expect(sizes.allSatisfy { $0 > 180 }, "\(sizes)")
    }

    @Test("A file that another program truncated continues up to its limit, and surplus old files are removed")
    func truncated() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/a.log"
        for number in 1...6 { try Data("old \(number)\n".utf8).write(to: URL(fileURLWithPath: "\(path).\(number)")) }
        let rotation = LogFileRotation(maximumBytes: 60, retainedFiles: 3)
        let sink = FileSink(path: path, format: .myLogger, rotation: rotation)
        for index in 1...3 { #expect(send("line \(index)", 5, to: sink)) }
        #expect(truncate(path, 0) == 0)
        for index in 4...6 { #expect(send("line \(index)", 5, to: sink)) }
        #expect(contents(path) == (4...6).map { "[INFO] A - line \($0)\n" }.joined())
        #expect(folder.names.count == 7)
        #expect(send("line 7", 5, to: sink))
        #expect(folder.names == ["a.log", "a.log.1", "a.log.2", "a.log.3"])
        #expect(contents(path + ".3") == "old 2\n")
    }

    @Test("Without a limit of old files, each is retained, and gaps are filled", .timeLimit(.minutes(5)))
    func unlimited() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/a.log"
        let sink = FileSink(
            path: path, format: .myLogger, rotation: LogFileRotation(maximumBytes: 10, retainedFiles: .max))
        for index in 1...5 { #expect(send("\(index)", 5, to: sink)) }
        try FileManager.default.removeItem(atPath: path + ".2")
        #expect(send("6", 5, to: sink) && send("7", 5, to: sink))
        let numbers = (0...5).map { contents($0 == 0 ? path : "\(path).\($0)")?.dropFirst(11).dropLast() }
        #expect(numbers == ["7", "6", "5", "4", "2", "1"])
    }

    @Test("While another process compresses a file, no other file is compressed", .timeLimit(.minutes(5)))
    func competingCompression() async throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/a.log"
        let sink = FileSink(
            path: path, format: .myLogger,
            rotation: LogFileRotation(maximumBytes: 10, retainedFiles: 9, maximumAge: .seconds(60), compresses: true))
        try Data("half".utf8).write(to: URL(fileURLWithPath: path + ".gz.tmp"))
        let other = SystemCalls.openForUpdating(path + ".gz.tmp")
        SystemCalls.markInUse(other)
        let now = Int64(Date().timeIntervalSince1970)
        // The end of the work is visible by the removal of a file that is too old.
        func rotate(_ text: String) async throws {
            try Data("ancient\n".utf8).write(to: URL(fileURLWithPath: path + ".5"))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 5)], ofItemAtPath: path + ".5")
            #expect(send(text, now, to: sink))
            try await until { contents(path + ".5") != "ancient\n" && contents(path + ".6") != "ancient\n" }
            // The work ends with its lock; before, a line wouldn't end the file.
            try await until { SystemCalls.withFolderLocked(of: path) { true } == true }
        }
        #expect(send("1", now, to: sink))
        try await rotate("2")
        #expect(folder.names == ["a.log", "a.log.1", "a.log.gz.tmp"])
        // The other process is gone; where no lock shows this, ten minutes later.
        SystemCalls.close(other)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -700)], ofItemAtPath: path + ".gz.tmp")
        try await rotate("3")
        #expect(folder.names == ["a.log", "a.log.1.gz", "a.log.2.gz"])
    }

    /// Runs work in each of several sinks of one file, and returns all lines of its files, also the compressed ones.
    private func lines(
        _ folder: TemporaryFolder, sinks count: Int, rotation: LogFileRotation,
        rename: @escaping RotatedFiles.Rename, _ work: @escaping @Sendable (Int, FileSink) async -> Void
    ) async throws -> [String] {
        try folder.make()
        let path = folder.path + "/a.log"
        var released: [WeakFiles] = []
        do {
            let sinks = (0..<count).map { _ in
                FileSink(path: path, format: .myLogger, rotation: rotation, rename: rename)
            }
            released = sinks.map { WeakFiles(files: $0.files) }
            await withTaskGroup { group in
                for (number, sink) in sinks.enumerated() { group.addTask { await work(number, sink) } }
            }
        }
        // A compression retains the files of its sink; the time limit ends the wait.
        try await until { !released.contains { $0.files != nil } }
        let all = Process()
        all.executableURL = URL(fileURLWithPath: "/bin/sh")
        all.arguments = ["-c", "gzip -dcf '\(folder.path)'/a.log*"]
        let output = Pipe()
        all.standardOutput = output
        try all.run()
        return output.readText().split(separator: "\n").map(String.init)
    }

    private struct WeakFiles {
        weak var files: RotatedFiles?
    }

    @Test(
        "Sinks that rotate one file at the same time lose no line, and write none twice, even if renaming is slow",
        .timeLimit(.minutes(2)), arguments: [true, false], [0, 5000])
    func sharedRotation(compresses: Bool, slowness: UInt32) async throws {
        let rotation = LogFileRotation(maximumBytes: 4000, retainedFiles: 10_000, compresses: compresses)
        let folder = TemporaryFolder()
        let count = 4000
        let found = try await lines(folder, sinks: 3, rotation: rotation) { path, other in
            if other.hasSuffix(".gz") { usleep(slowness) }
            return FileSystem.rename(path, to: other)
        } _: { number, sink in
            for index in 0..<count { _ = send("\(number) line \(index)", 5, to: sink) }
        }
        let expected = (0..<3).flatMap { number in (0..<count).map { "[INFO] A - \(number) line \($0)" } }
        #expect(Set(expected).subtracting(found).count == 0 && found.count == expected.count, "\(found.count)")
        #expect(!compresses || folder.names.contains { $0.hasSuffix(".gz") })
    }

    @Test("A line that arrives while its file is replaced by its compression is another member of it")
    func lateLine() async throws {
        let folder = TemporaryFolder()
        let rotation = LogFileRotation(maximumBytes: 20, retainedFiles: 9, compresses: true)
        let found = try await lines(folder, sinks: 1, rotation: rotation) { path, other in
            if other.hasSuffix(".gz"), let file = FileHandle(forWritingAtPath: String(other.dropLast(3))) {
                file.seekToEndOfFile()
                file.write(Data("late\n".utf8))
                try? file.close()
            }
            return FileSystem.rename(path, to: other)
        } _: { _, sink in
            _ = send("1", 5, to: sink)
            _ = send("2", 5, to: sink)
            try? await until { folder.names.contains("a.log.1.gz") && !folder.names.contains("a.log.1") }
        }
        #expect(found.contains("late") && found.count == 3, "\(found)")
    }

    @Test("A file that another process has open is compressed at a later rotation", .timeLimit(.minutes(5)))
    func openElsewhere() async throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/a.log"
        let rotation = LogFileRotation(maximumBytes: 20, retainedFiles: 9, compresses: true)
        let sinks = (0..<2).map { _ in FileSink(path: path, format: .myLogger, rotation: rotation) }
        #expect(send("1", 5, to: sinks[0]) && send("2", 5, to: sinks[1]))
        #expect(folder.names == ["a.log", "a.log.1"] || folder.names == ["a.log", "a.log.1.gz"])
        // The first sink writes its next line, and closes the file that the second one renamed.
        try await until {
            #expect(send("next", 5, to: sinks[0]))
            return folder.names.count { $0.hasSuffix(".gz") } >= 4
        }
    }

    @Test(
        "A line that a full disk tore ends before the next line",
        .enabled(if: canMountTemporaryFileSystem, "no file system can be mounted"))
    func tornLine() throws {
        let folder = TemporaryFolder()
        try folder.make()
        try #require(shell("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder.path) == 0)
        defer { _ = shell("umount", "-l", folder.path) }
        let (path, ballast) = (folder.path + "/a.log", folder.path + "/ballast")
        try Data(count: 30_000).write(to: URL(fileURLWithPath: ballast))
        let sink = FileSink(path: path, format: .myLogger)
        let text = String(repeating: "x", count: 1000)
        var written = 0
        while written < 100, send("\(written) \(text)", 5, to: sink) { written += 1 }
        #expect((20..<60).contains(written))
        #expect(contents(path)?.last == "x", "the last line isn't torn")
        #expect(!send("lost", 5, to: sink))
        try FileManager.default.removeItem(atPath: ballast)
        #expect(send("after", 5, to: sink) && send("later", 5, to: sink))
        let lines = try #require(contents(path)).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == written + 4)
        #expect(lines.suffix(3) == ["[INFO] A - after", "[INFO] A - later", ""])
    }

    @Test("A file that can't be renamed continues beyond its limit")
    func renameFails() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/a.log"
        try FileManager.default.createDirectory(atPath: path + ".1/x", withIntermediateDirectories: true)
        let sink = FileSink(path: path, format: .myLogger, rotation: LogFileRotation(maximumBytes: 20))
        for index in 1...4 { #expect(send("line \(index)", 5, to: sink)) }
        #expect(contents(path) == (1...4).map { "[INFO] A - line \($0)\n" }.joined())
    }

    @Test("A file from an earlier period ends with the first line of a new sink")
    func earlierPeriod() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/a.log"
        try Data("old\n".utf8).write(to: URL(fileURLWithPath: path))
        let now = Int64(Date().timeIntervalSince1970)
        let sink = FileSink(path: path, format: .myLogger, rotation: LogFileRotation(schedule: .hourly))
        #expect(send("new", now + 7200, to: sink))
        #expect(contents(path) == "[INFO] A - new\n")
        #expect(contents(path + ".1") == "old\n")
    }

    @Test("Old files are numbered from the newest, and the surplus one is removed")
    func numbering() throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/a.log"
        let rotation = LogFileRotation(maximumBytes: 20, retainedFiles: 3)
        let sink = FileSink(path: path, format: .myLogger, rotation: rotation)
        for index in 1...6 { #expect(send("line \(index)", 5, to: sink)) }
        #expect(folder.names == ["a.log", "a.log.1", "a.log.2", "a.log.3"])
        for (suffix, index) in [("", 6), (".1", 5), (".2", 4), (".3", 3)] {
            #expect(contents(path + suffix) == "[INFO] A - line \(index)\n")
        }
    }

    @Test("Old files are compressed, and removed at their age", .timeLimit(.minutes(5)))
    func compression() async throws {
        let folder = TemporaryFolder()
        try folder.make()
        let path = folder.path + "/a.log"
        let rotation = LogFileRotation(
            maximumBytes: 100, retainedFiles: 9, maximumAge: .seconds(3600), compresses: true)
        let sink = FileSink(path: path, format: .myLogger, rotation: rotation)
        try Data("ancient\n".utf8).write(to: URL(fileURLWithPath: path + ".5"))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 5)], ofItemAtPath: path + ".5")
        let now = Int64(Date().timeIntervalSince1970)
        let text = String(repeating: "x", count: 80)
        for index in 1...3 { #expect(send("\(index)\(text)", now, to: sink)) }
        try await until { folder.names == ["a.log", "a.log.1.gz", "a.log.2.gz"] }
        let gunzip = Process()
        gunzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        gunzip.arguments = ["gzip", "-dc", path + ".1.gz"]
        let output = Pipe()
        gunzip.standardOutput = output
        try gunzip.run()
        #expect(output.readText() == "[INFO] A - 2\(text)\n")
    }
}
