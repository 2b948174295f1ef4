internal import Ashlar
internal import AshlarCore
internal import AshlarNetworking

/// The changes of an app as server-sent events for one browser.
///
/// At most ten messages a second are sent, each with all changes since the one before.
final class InspectorStream: Sendable {
    /// The time between two looks at the app.
    static let interval = Duration.milliseconds(100)
    /// The number of looks without a change after which a comment shows that the connection is alive.
    private static let quietLimit = 100

    private struct State: Sendable {
        var cursor: InspectorCursor
        var hasBegun = false
        var quiet = 0
    }

    private let session: Weak<InspectorSession>
    private let state: Mutex<State>
    private let pause: @Sendable () async throws -> Void

    /// Creates a stream of the changes after a cursor; a cursor of another inspector makes the page load again.
    init(
        _ session: InspectorSession, after cursor: InspectorCursor,
        pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: InspectorStream.interval) }
    ) {
        self.session = Weak(session)
        state = Mutex(State(cursor: cursor))
        self.pause = pause
    }

    /// Returns the next message; nil after the end of the inspector.
    func next() async -> [UInt8]? {
        while let session = session.object, !session.isStopped {
            var now = state.withLock { state in
                defer { state.hasBegun = true }
                return state
            }
            if now.cursor.run != session.run {
                if now.hasBegun { return nil }
                return Array("event: reload\ndata: {}\n\n".utf8)
            }
            if now.hasBegun {
                do { try await pause() } catch { return nil }
            }
            guard !session.isStopped, let batch = await session.batch(after: &now.cursor) else { return nil }
            let (cursor, quiet) = (now.cursor, batch.isEmpty ? now.quiet + 1 : 0)
            state.withLock { state in
                state.cursor = cursor
                state.quiet = quiet % Self.quietLimit
            }
            if !batch.isEmpty {
                guard let json = try? JSONEntity(encoding: batch).bytes() else { return nil }
                return Array("id: \(cursor.text)\ndata: ".utf8) + json + Array("\n\n".utf8)
            }
            if quiet >= Self.quietLimit || !now.hasBegun { return Array(": connected\n\n".utf8) }
        }
        return nil
    }
}
