import AshlarCore
import AshlarLogging
public import Foundation

extension AshlarApp {
    /// Writes the ends of the logs of this run and of earlier ones into one text file, which a user can send to a developer.
    ///
    /// Each run has a heading with its start and its ending, the oldest run first. Secrets are hidden again, also in lines
    /// that an earlier version of the app wrote. The file replaces that of an earlier export, and only the user can read it.
    ///
    /// ```swift
    /// import Foundation
    ///
    /// let app = AshlarApp(AshlarApp.Configuration(resources: "Resources"))
    /// print(try app.exportLog().path)
    /// ```
    ///
    /// - Parameters:
    ///   - folder: The folder of the file; nil for the folder of temporary files.
    ///   - runs: The number of earlier runs at most.
    ///   - bytes: The number of bytes of each run at most.
    /// - Returns: The file `<application>-log.txt`; slashes in the name of the application become `_`.
    /// - Throws: The system's error if the file can't be written.
    /// - Complexity: O(*n*) in the number of bytes that are read.
    public func exportLog(in folder: URL? = nil, runs: Int = 3, bytes: Int = 1 << 20) throws -> URL {
        let folder = folder ?? FileManager.default.temporaryDirectory
        let name = settings.application.unicodeScalars.map { $0 == "/" ? "_" : String($0) }.joined()
        let file = folder.appendingPathComponent("\(name)-log.txt")
        var text = ""
        for run in (logging?.priorRuns ?? []).prefix(max(0, runs)).reversed() {
            text += heading("run of \(run.startedAt), \(run.outcome)") + run.tail(bytes: bytes)
        }
        LogSystem.flush()
        text += heading("this run, exported \(LogTime.now)") + LogSystem.liveTail(bytes: bytes)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
            SecretText.redacted(String($0))
        }
        try AtomicFile.replace(file.path, with: Array(lines.joined(separator: "\n").utf8))
        return file
    }

    private func heading(_ text: String) -> String { "===== \(settings.application): \(text) =====\n" }
}
