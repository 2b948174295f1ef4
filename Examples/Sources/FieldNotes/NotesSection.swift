import Ashlar

/// A note.
struct Note: Decodable, Sendable {
    let id: Int
    let title: String
    let body: String
    let tags: [String]
}

/// Requests all notes, as JSON whose fields are read one by one.
struct ListNotes: Endpoint {
    typealias Output = JSONEntity
    let host: EndpointHost
    let path: EndpointPath = "notes"
    let headers: HTTPHeaders = ["Accept": "application/json"]
}

/// Requests one note.
struct GetNote: Endpoint {
    typealias Output = Note
    let host: EndpointHost
    let id: Int
    var path: EndpointPath { "notes/\(id)" }
    let headers: HTTPHeaders = ["Accept": "application/json"]
}

extension FieldNotes {
    /// The server of `--live`, or the configuration's canonical host, which the host map resolves.
    var host: EndpointHost {
        if let url = options.liveURL { return .url(url) }
        return .canonical(app.config.current.string(forKey: "api.host", default: "api.fieldnotes.example"))
    }

    /// Loads all notes, and one that doesn't exist.
    func showNotes() async -> Bool {
        screen.heading("Notes from \(options.liveURL ?? "the recordings in notes.har")")
        log.info("loads notes").indent(true)
        defer { log.indent(false).info("loads notes DONE") }
        do {
            let notes = try await app.client.send(ListNotes(host: host))["notes"]
            for note in notes {
                screen.row(
                    "\(note["id"].int(0))  \(note["title"].string("(untitled)"))",
                    note["tags"].map { $0.string("") }.joined(separator: ", "), from: note["author"]["name"].string(""))
            }
            log.debug("\(notes.count) notes")
        } catch {
            report(error)
            return false
        }
        do {
            _ = try await app.client.send(GetNote(host: host, id: 99))
        } catch {
            screen.quiet("note 99: \(error.userMessage)")
        }
        return true
    }

    func report(_ error: any Error) {
        screen.problem("\(error)")
        log.error("\(error)")
    }
}
