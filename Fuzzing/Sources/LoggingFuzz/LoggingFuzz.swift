import AshlarLogging
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
            blackHole((try? LogThresholds(list))?.threshold(of: list))
            blackHole(LogLevel(name: list))
        },
        FuzzTarget("read") { bytes in
            // A folder with one run whose log is the input.
            let folder = "\(NSTemporaryDirectory())ashlar-logging-fuzz-\(getpid())"
            try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let path = "\(folder)/run-1700000000000000000-1-0000.log"
            _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
            let reader = LogReader(folder: folder, formats: formats)
            for line in reader.lines() { precondition(line.record != nil || !line.text.isEmpty, "an empty line") }
        },
        FuzzTarget("line") { bytes in
            // Every message is one line, within its limit, without control characters.
            let text = String(decoding: bytes, as: UTF8.self)
            let record = captured(text, String(text.prefix(40)))
            for format in [LogFormat.standard, .myLogger, .ftToolBox, .jsonLines, .json(.openTelemetry), .logfmt] {
                let line = record.formatted(as: format, maximumBytes: 1024)
                precondition(line.utf8.count <= 1024, "too long: \(line.utf8.count)")
                precondition(line.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 9 }, "control character")
            }
        },
    ])
}

private let formats = ["{context} {file} {message} {level}", "<{message}> {sequence}"].compactMap { try? LogFormat($0) }

/// A record with hostile text in every part.
private func captured(_ message: String, _ name: String) -> LogRecord.Copy {
    let sink = CapturingSink()
    sink.capture { Log(name).info(message, [name: name, "text": message]) }
    return sink.records[0]
}

@inline(never)
private func blackHole<T>(_ value: T) {}
