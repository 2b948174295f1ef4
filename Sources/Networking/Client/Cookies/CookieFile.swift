internal import AshlarCore
import Dispatch
import Foundation

/// The file of a cookie jar: a JSON object with a list of cookies.
final class CookieFile: Sendable {
    /// The content of the file.
    private struct Content: Codable {
        var cookies: [NetworkCookie]
    }

    /// The maximum length of the file, for 3,000 cookies with values of 4 KiB and long paths, all escaped.
    private static let limit = 64 << 20

    private let path: String
    private let queue = DispatchQueue(label: "ashlar.cookies")
    private let state = Mutex((isChanged: false, isScheduled: false))
    /// Serializes writers, so that an older state never replaces a newer one.
    private let turn = Mutex(())

    init(_ path: String) { self.path = path }

    func read() throws(NetworkError) -> [NetworkCookie] {
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let bytes = try JSONFile.read(path, limit: Self.limit, as: .fileFailed, isOwn: true)
        do {
            return try JSONEntity(parsing: bytes).decode(Content.self).cookies
        } catch {
            var error = NetworkError(wrapping: error)
            error.file = path
            throw error
        }
    }

    /// Replaces the file with the cookies that have an expiration time, if they have changed since the last write.
    func write(_ cookies: @autoclosure () -> [NetworkCookie]) throws(NetworkError) {
        try turn.withLock { _ throws(NetworkError) in
            // A change after this line is written by the next call.
            let isChanged = state.withLock { state in
                defer { state.isChanged = false }
                return state.isChanged
            }
            guard isChanged else { return }
            do throws(NetworkError) {
                try replace(cookies())
            } catch {
                state.withLock { $0.isChanged = true }
                throw error
            }
        }
    }

    private func replace(_ cookies: [NetworkCookie]) throws(NetworkError) {
        let content = Content(cookies: cookies.filter { $0.expires != nil })
        let bytes = try JSONFormat().encode(content)
        try JSONFile.replace(path) { bytes }
    }

    /// Writes after a short delay, and once for several changes.
    func scheduleWrite(of jar: CookieJar) {
        let isFirst = state.withLock { state in
            defer { state = (true, true) }
            return !state.isScheduled
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [self, weak jar] in
            state.withLock { $0.isScheduled = false }
            try? jar?.save()
        }
    }
}
