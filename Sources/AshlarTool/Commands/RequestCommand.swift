import AshlarCore
import AshlarTesting
import AshlarTooling

extension Command {
    /// The command `request`.
    static let request: Command = Command(
        "request", "Sends an HTTP request and prints its response.",
        discussion: """
            METHOD is a word in capitals; without it, a request with fields is a POST, another one a GET. A URL without a
            scheme has https, and ':8080/path' is http://localhost:8080/path. An item is 'Name:value' for a header field,
            'name==value' for the query, 'name=value' for a text in the JSON body, 'name:=value' for a JSON value in it,
            or 'name=@file' for the content of a file.

            On a terminal, prints the head and the formatted body; otherwise the body only. The exit status is 1 for a
            status from 400.
            """,
        operands: [
            Operand("[METHOD] URL", .text), Operand("ITEM", .text, isOptional: true, isRepeatable: true),
        ],
        options: [
            Option("--form", help: "Sends the fields as a form instead of JSON."),
            Option("--body", value: "FILE", kind: .file, help: "Sends a file."),
            Option("--include", "i", help: "Prints the head, also if the output isn't a terminal."),
            Option("--output", "o", value: "FILE", kind: .file, help: "Writes the body to a file."),
            Option("--timings", "t", help: "Prints the times of the stages."),
            Option("--timeout", value: "SECONDS", kind: .number, help: "Ends after this time; 300 s if omitted."),
            Option("--hosts", value: "MAP", kind: .file, help: "Selects the hosts by a host map."),
            Option("--store", value: "FILE", kind: .file, help: "Reads the selection of hosts from a file."),
            Option("--trust-roots", value: "FILE", kind: .file, help: "Trusts the certificates of a PEM file only."),
            Option("--har", value: "FILE", kind: .file, help: "Appends the exchange to an archive, without secrets."),
            Option("--replay", value: "FILE", kind: .file, help: "Takes the response from an archive."),
            Option("--curl", help: "Prints the command for curl instead of sending the request."),
        ]
    ) { invocation, output in
        let request = try RequestArguments(invocation).request()
        if invocation.has("--curl") {
            output.lines(request.curl(redacting: .none))
            return .success
        }
        let exchange = try RequestExchange(invocation)
        let response = try await exchange.send(request)
        let printer = ResponsePrinter(response, output)
        if output.isTerminal || invocation.has("--include") { printer.printHead() }
        if let file = invocation.value(of: "--output") {
            do throws(FileFailure) {
                try AtomicFile.replace(file, with: response.bytes, permissions: 0o600, isOwn: false)
            } catch { throw ToolError.problem("\(error.path): \(error)") }
        } else {
            printer.printBody()
        }
        if invocation.has("--timings") { printer.printTimings() }
        return response.status < 400 ? .success : .problems
    }
}

/// The request of a command line.
private struct RequestArguments {
    private let method: HTTPMethod?
    private let url: HTTPURL
    private let items: RequestItems
    private let invocation: Invocation

    init(_ invocation: Invocation) throws {
        self.invocation = invocation
        var words = invocation.operands[...]
        let isMethod = words[0].allSatisfy { $0.isASCII && $0.isUppercase }
        method = isMethod ? HTTPMethod(rawValue: words.removeFirst()) : nil
        guard let text = words.popFirst() else { throw ToolError.misuse("missing argument URL") }
        url = try HTTPURL(Self.absolute(text))
        items = try RequestItems(words)
        if invocation.has("--replay"), invocation.has("--har") {
            throw ToolError.misuse("--har and --replay exclude each other")
        }
    }

    private static func absolute(_ text: String) -> String {
        if text.contains("://") { return text }
        return text.hasPrefix(":") ? "http://localhost" + text : "https://" + text
    }

    func request() throws -> NetworkRequest {
        var body = items.body(asForm: invocation.has("--form"))
        if let file = invocation.value(of: "--body") {
            if body != nil { throw ToolError.misuse("--body and fields exclude each other") }
            body = .file(file)
        }
        var url = url
        url.append(items.query)
        var request = NetworkRequest(
            method ?? (body == nil ? .get : .post), url, headers: items.headers, body: body ?? .empty)
        if let seconds = invocation.number(of: "--timeout") { request.options.totalTimeout = .seconds(seconds) }
        request.options.acceptedStatuses = nil
        request.options.measures = true
        if invocation.has("--hosts") {
            let name = url.port.map { "\(url.host):\($0)" } ?? url.host
            request.canonicalHost = CanonicalHost(name)
        }
        return request
    }
}

/// The client of a command line, and its archive.
private struct RequestExchange {
    private let client: NetworkClient
    private let recording: RecordingTransport?
    private let archive: String?

    init(_ invocation: Invocation) throws {
        var configuration = ClientConfiguration()
        configuration.transport.trustRoots = invocation.value(of: "--trust-roots")
        var hosts: HostSwitch?
        if let map = invocation.value(of: "--hosts") {
            let store: HostChoiceStore = invocation.value(of: "--store").map { .file($0) } ?? .none
            hosts = HostSwitch(try HostMap(contentsOfFile: map), store: store)
        }
        archive = invocation.value(of: "--har")
        var transport: (any NetworkTransport)?
        if let file = invocation.value(of: "--replay") { transport = try ReplayTransport(contentsOfFile: file) }
        recording = archive == nil ? nil : RecordingTransport(NetworkClient(configuration).transport)
        client = NetworkClient(configuration, transport: recording ?? transport, hosts: hosts)
    }

    func send(_ request: NetworkRequest) async throws -> NetworkResponse {
        let response = try await client.send(request)
        if let archive, let recording {
            var all = FileStatus(archive) == nil ? HARArchive() : try HARArchive(contentsOfFile: archive)
            all.entries += recording.archive.entries
            try all.write(toFile: archive)
        }
        return response
    }
}

/// Prints a response.
private struct ResponsePrinter {
    private let response: NetworkResponse
    private let output: ToolOutput

    init(_ response: NetworkResponse, _ output: ToolOutput) {
        self.response = response
        self.output = output
    }

    func printHead() {
        let style: TextStyle = response.status < 300 ? .green : response.status < 400 ? .yellow : .red
        output.line("HTTP/\(response.head.version ?? "1.1") \(response.status)", style)
        for field in response.headers { output.line("\(field)") }
        output.line("")
    }

    func printBody() {
        if response.bytes.isEmpty { return }
        guard let text = String(validating: response.bytes, as: UTF8.self) else {
            guard output.isTerminal else { return output.raw(response.bytes) }
            return output.problem("note: the body has \(response.bytes.count) bytes that aren't text; use --output")
        }
        let isJSON = response.headers["Content-Type"]?.lowercased().contains("json") == true
        if output.isTerminal, isJSON, let json = try? JSONEntity(parsing: text) {
            output.document(json.text(indent: 2))
        } else if output.isTerminal {
            output.document(text)
        } else {
            output.raw(text)
        }
    }

    func printTimings() {
        guard let metrics = response.metrics else { return }
        var rows: [[String]] = []
        func add(_ name: String, _ time: Duration?) {
            guard let time else { return }
            let microseconds = time.components.seconds * 1_000_000 + time.components.attoseconds / 1_000_000_000_000
            rows.append([name, "\(microseconds / 1000).\(microseconds % 1000 / 100) ms"])
        }
        add("name resolved", metrics.timings.resolved)
        add("connected", metrics.timings.connected)
        add("TLS complete", metrics.timings.secured)
        add("first byte", metrics.timings.firstByte)
        add("complete", metrics.duration)
        rows.append(["received", "\(metrics.receivedBodyBytes) bytes"])
        if let address = metrics.remoteAddress { rows.append(["server", address]) }
        if let name = metrics.protocolName { rows.append(["protocol", name]) }
        for line in TextTable.aligned(rows) { output.problem(line) }
    }
}
