internal import Ashlar
internal import AshlarCore
internal import AshlarLogging
internal import AshlarNetworking
internal import AshlarTesting
internal import Foundation

/// A running inspector: its server, and the items that it shows.
final class InspectorSession: Sendable {
    /// The maximum number of lines of earlier runs on the page.
    private static let earlierLineLimit = 20_000

    /// Distinguishes this inspector from others, for cursors.
    let run: String
    private let app: Weak<AshlarApp>
    private let title: String
    private let recorder: ExchangeRecorder?
    private let gate: Mutex<InspectorGate>
    private let server: InspectorServer
    private let feed = InspectorFeed()
    private let sections = InspectorSections()
    private let texts = InspectorTexts()
    private let taps: InspectorTaps
    private let stopped = Mutex(false)

    init(
        _ app: AshlarApp, title: String, recorder: ExchangeRecorder?, port: Int
    ) throws(InspectorError) {
        let place = InspectorPlace()
        server = try InspectorServer(port: port) { await place.answer($0) }
        gate = Mutex(InspectorGate(port: server.port))
        run = String(UInt64.random(in: .min ... .max), radix: 36)
        self.app = Weak(app)
        self.title = title
        self.recorder = recorder
        taps = InspectorTaps(feed, to: app)
        place.set(self)
    }

    deinit { stopped.withLock { $0 = true } }

    var port: Int { server.port }
    var isStopped: Bool { stopped.withLock { $0 } }

    /// Replaces the token, and returns the URL that contains it.
    func makeURL() -> String { gate.withLock { $0.makeURL() } }

    func stop() async {
        stopped.withLock { $0 = true }
        await server.stop()
    }

    /// Returns the changes after a cursor; nil if the app was released.
    func batch(after cursor: inout InspectorCursor) async -> InspectorBatch? {
        guard let app = app.object else { return nil }
        let changed = await sections.changes(of: app, after: &cursor)
        return feed.take(after: &cursor, sections: changed)
    }

    /// Answers a request.
    fileprivate func answer(_ request: InspectorRequest) async -> InspectorResponse {
        do throws(InspectorRefusal) {
            guard let app = app.object, !isStopped else {
                throw InspectorRefusal(status: 503, reason: "the app was released")
            }
            switch try gate.withLock({ gate throws(InspectorRefusal) in try gate.judge(request) }) {
            case .page(let cookie): return try await page(of: app, cookie: cookie)
            case .events(let text):
                let cursor = text.flatMap { InspectorCursor($0) } ?? InspectorCursor(run: text == nil ? run : "")
                let stream = InspectorStream(self, after: cursor)
                return InspectorResponse(200, type: "text/event-stream", body: .stream { await stream.next() })
            case .exchanges:
                let archive = recorder?.archive ?? HARArchive()
                return InspectorResponse(200, type: "application/json", body: .bytes(archive.bytes()))
            case .action(let body): return await perform(body, on: app)
            }
        } catch {
            return InspectorResponse(error)
        }
    }

    /// The page, which loads the newest lines, requests and events itself.
    private func page(of app: AshlarApp, cookie: String?) async throws(InspectorRefusal) -> InspectorResponse {
        var cursor = InspectorCursor(run: run)
        _ = await sections.changes(of: app, after: &cursor)
        var document = await InspectorDocument(of: app, title: title)
        document.addRuns(of: app, lineLimit: Self.earlierLineLimit)
        document.requests = JSONEntity(object: [("log", JSONEntity(object: []))])
        document.events = []
        document.live = InspectedState(
            cursor: cursor.text, lineLimit: InspectorFeed.lineLimit, requestLimit: InspectorFeed.requestLimit / 2,
            eventLimit: InspectorFeed.eventLimit, hasRecorder: recorder != nil)
        do throws(NetworkError) {
            let fields = cookie.map { [(name: "Set-Cookie", value: $0)] } ?? []
            return InspectorResponse(
                200, type: "text/html; charset=utf-8", fields: fields, body: .bytes(try document.pageBytes()))
        } catch {
            throw InspectorRefusal(status: 500, reason: "the page can't be created: \(error.message)")
        }
    }

    private func perform(_ body: [UInt8], on app: AshlarApp) async -> InspectorResponse {
        func response(_ status: Int, _ name: String, _ text: String) -> InspectorResponse {
            let json = JSONEntity(object: [(name, JSONEntity(text))])
            return InspectorResponse(status, type: "application/json", body: .bytes(json.bytes()))
        }
        let action: InspectorAction
        do throws(NetworkError) {
            action = try JSONEntity(parsing: body, limits: JSONLimits(depth: 64)).decode(InspectorAction.self)
        } catch {
            return response(400, "error", error.message)
        }
        do throws(InspectorRefusal) {
            return response(200, "result", try await action.perform(on: app, texts))
        } catch {
            return response(error.status, "error", error.reason)
        }
    }
}

/// Refers to a session, which begins after its server.
private final class InspectorPlace: Sendable {
    private let session = Mutex<Weak<InspectorSession>?>(nil)

    func set(_ session: InspectorSession) {
        let place = Weak(session)
        self.session.withLock { $0 = place }
    }

    func answer(_ request: InspectorRequest) async -> InspectorResponse {
        guard let session = session.withLock({ $0 })?.object else {
            return InspectorResponse(InspectorRefusal(status: 503, reason: "the inspector isn't running"))
        }
        return await session.answer(request)
    }
}

extension InspectorDocument {
    /// Adds the earlier runs of an app, and its own one without lines, the oldest first.
    fileprivate mutating func addRuns(of app: AshlarApp, lineLimit: Int) {
        let all = app.logFolder.map { PriorRun.all(in: $0) } ?? []
        addRuns(all.filter { !$0.isOwn }, in: app.logFolder ?? "", lineLimit: lineLimit, firstNumber: 2)
        let own = all.first(where: \.isOwn)
        let run = InspectedRun(
            number: 1, startedAt: own.map { $0.startedAt.nanoseconds / 1000 } ?? createdAt,
            application: own?.application, processID: ProcessInfo.processInfo.processIdentifier,
            outcome: "\(LogRunOutcome.stillRunning)", lostLines: own?.lostLines ?? 0,
            omittedLines: 0, contexts: [], lines: [])
        runs = (runs ?? []).reversed() + [run]
    }
}
