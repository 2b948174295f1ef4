import AshlarLogging
import AshlarTelemetry
import AshlarTesting
import Foundation
import FuzzHarness

/// The first function that libFuzzer calls.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutableRawPointer) -> Int32 {
    choose(from: [
        FuzzTarget("format") { bytes in
            let pattern = String(decoding: bytes, as: UTF8.self)
            guard let format = try? LogFormat(pattern) else { return }
            blackHole(captured("message", pattern).formatted(as: format, maximumBytes: 2048))
        },
        FuzzTarget("thresholds") { bytes in
            let list = String(decoding: bytes, as: UTF8.self)
            blackHole(try? LogThresholds(list))
            blackHole(LogLevel(name: list))
        },
        FuzzTarget("read") { bytes in
            for line in lines(ofRun: Array(bytes)) {
                precondition(line.record != nil || !line.text.isEmpty, "an empty line")
            }
        },
        FuzzTarget("round-trip") { bytes in
            // A line of every format is read as one line, and a JSON line exactly.
            let text = String(decoding: bytes, as: UTF8.self)
            let record = captured(text, String(text.prefix(40)))
            let all: [LogFormat] = [.jsonLines, .standard, .myLogger, .ftToolBox, .logfmt, .openTelemetry]
            let read = lines(ofRun: Array(all.map { record.formatted(as: $0) + "\n" }.joined().utf8))
            precondition(read.count == all.count, "\(read.count) lines")
            let line = read[0].record
            precondition(line?.message.utf8.elementsEqual(text.utf8) == true, "another message")
            precondition(line?.level == .info && line?.context == record.context, "another level or context")
        },
        FuzzTarget("folder") { bytes in
            // A folder of files with the names of a run's parts; the first byte of each part selects the name.
            let folder = emptyFolder()
            for part in bytes.split(separator: 0x1E, maxSplits: 8, omittingEmptySubsequences: true) {
                let name = partNames[Int(part[part.startIndex]) % partNames.count]
                write(Array(part.dropFirst()), to: "\(folder)/\(name)")
            }
            for run in PriorRun.all(in: folder) {
                blackHole(run.log)
            }
            blackHole(LogReader(folder: folder).lines().count)
        },
        FuzzTarget("line") { bytes in
            // Every message is one line, within its limit, without control characters.
            let text = String(decoding: bytes, as: UTF8.self)
            let record = captured(text, String(text.prefix(40)))
            for format in [LogFormat.standard, .myLogger, .ftToolBox, .jsonLines, .openTelemetry, .logfmt] {
                let line = record.formatted(as: format, maximumBytes: 1024)
                precondition(line.utf8.count <= 1024, "too long: \(line.utf8.count)")
                precondition(line.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 }, "control character")
            }
        },
    ])
}

/// The names of the parts of a run, and of files that aren't part of it.
private let partNames = ["log", "1.log", "2.log", "9.log", "child7.log", "state", "1.log.gz", "txt"].map {
    "run-1700000000000000000-1-0000.\($0)"
}

private func emptyFolder() -> String {
    let folder = "\(NSTemporaryDirectory())ashlar-logging-fuzz-\(getpid())"
    mkdir(folder, 0o700)
    for name in partNames { unlink("\(folder)/\(name)") }
    return folder
}

/// Writes a file without waiting for the disk, as Foundation does.
private func write(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "w") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
}

/// The lines of a folder with one run.
private func lines(ofRun log: [UInt8]) -> [LogLine] {
    let folder = emptyFolder()
    write(log, to: "\(folder)/\(partNames[0])")
    return Array(LogReader(folder: folder).lines())
}

/// A record with hostile text in every part.
private func captured(_ message: String, _ name: String) -> LogRecord {
    let sink = CapturingSink()
    sink.capture { Log(name).info("\(message)", [name: name, "text": message]) }
    return sink.records[0]
}

@inline(never)
private func blackHole<T>(_ value: T) {}
