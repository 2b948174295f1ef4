public import Ashlar
internal import AshlarCore
public import AshlarEventBus
internal import AshlarLogging
public import AshlarNetworking
internal import AshlarTelemetry
public import AshlarTesting

extension InspectorDocument {
    /// Creates a document with the configuration, strings, hosts, routes and services of an app.
    ///
    /// It has neither logs, requests nor events.
    public init(of app: AshlarApp, title: String) async {
        self.init(title: title)
        addConfiguration(app.config.current)
        addStrings(app.customization.current)
        addHosts(app.hosts)
        addRoutes(app.router.current)
        await addServices(app.services)
    }

    /// Adds the runs of a log folder, the newest first.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - lineLimit: The maximum number of lines in all. The last lines of the newest runs remain; each run has the number
    ///     of its omitted lines.
    /// - Complexity: O(*n*) in the size of the logs.
    public mutating func addRuns(in folder: String, lineLimit: Int = 200_000) {
        addRuns(PriorRun.all(in: folder), in: folder, lineLimit: lineLimit, firstNumber: 1)
    }

    /// Adds runs of a folder, the newest first.
    mutating func addRuns(_ all: [PriorRun], in folder: String, lineLimit: Int, firstNumber: Int) {
        let reader = LogReader(folder: folder)
        var room = max(0, lineLimit)
        runs = all.enumerated().map { index, run in
            var contexts: [String] = []
            var numbers: [String: Int] = [:]
            func number(of context: String) -> Int {
                if let number = numbers[context] { return number }
                numbers[context] = contexts.count
                contexts.append(context)
                return contexts.count - 1
            }
            let all = Array(reader.lines(of: run))
            let lines = all.suffix(room).map { line in
                let record = line.record
                return InspectedLine(
                    time: line.time.nanoseconds / 1000, level: record.map { Int($0.level.rawValue) } ?? -1,
                    context: number(of: record?.context ?? ""), text: record.map(Self.text) ?? line.text)
            }
            room -= lines.count
            return InspectedRun(
                number: index + firstNumber, startedAt: run.startedAt.nanoseconds / 1000, application: run.application,
                processID: run.processID, outcome: "\(run.outcome)", lostLines: run.lostLines,
                omittedLines: all.count - lines.count, contexts: contexts, lines: lines)
        }
    }

    /// The message and the fields of a line.
    static func text(_ record: LogRecord) -> String {
        record.fields.list.reduce(into: record.message) { $0 += " \($1.key)=\($1.value)" }
    }

    /// Adds recorded exchanges.
    ///
    /// Secrets in URLs, fields and bodies are replaced, also in an archive that another program recorded.
    ///
    /// - Throws: The error of a URL that isn't valid without its secrets.
    /// - Complexity: O(*n*) in the size of the exchanges.
    public mutating func addRequests(
        _ archive: HARArchive, redaction: NetworkRedaction = .standard
    ) throws(NetworkError) {
        var archive = archive
        for index in archive.entries.indices {
            var entry = archive.entries[index]
            entry.request.url = try HTTPURL(redaction.redact(entry.request.url))
            entry.request.body = redaction.redact(
                body: entry.request.body, type: entry.request.headers["Content-Type"])
            entry.request.headers = redaction.redact(entry.request.headers)
            entry.response.body = redaction.redact(
                body: entry.response.body, type: entry.response.headers["Content-Type"])
            entry.response.headers = redaction.redact(entry.response.headers)
            archive.entries[index] = entry
        }
        requests = try JSONEntity(parsing: archive.bytes())
    }

    /// Adds the environments of each canonical host, and the selected ones.
    public mutating func addHosts(_ hosts: HostSwitch) {
        self.hosts = hosts.rows.map { section in
            InspectedHost(
                host: section.title, target: hosts.resolve(section.title).map { "\($0)" } ?? section.title,
                environments: section.rows.map {
                    InspectedHost.Environment(key: $0.key, host: $0.title, isSelected: $0.isSelected)
                })
        }
    }

    /// Adds the routes of a table in the order in which they are tried.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - names: The names of patterns and the places of their declarations, if known.
    public mutating func addRoutes(
        _ table: RouteTable, names: [String: (name: String, location: String)] = [:]
    ) {
        routes = table.patterns.map {
            InspectedRoute(pattern: $0, name: names[$0]?.name, location: names[$0]?.location)
        }
    }

    /// Adds the registered services, their states and their needs.
    public mutating func addServices(_ services: ServiceRegistry) async {
        var found: [InspectedService] = []
        for name in await services.names {
            let (state, needs) = (await services.state(of: name)?.rawValue, await services.needs(of: name))
            found.append(InspectedService(name: name, state: state ?? "", needs: needs))
        }
        self.services = found
    }
}
