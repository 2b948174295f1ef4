import AshlarLogging
import AshlarNetworking
import AshlarTesting

let sink = CapturingSink()
sink.capture { Log("Consumer").info("one line") }
precondition(sink.lines == ["[INFO] Consumer - one line"])

let server = try TestServer { .text("answer to \($0.target)") }
var configuration = ClientConfiguration()
configuration.base = .url(server.url)
let answer = try await NetworkClient(configuration).get("question").text()
precondition(answer == "answer to /question")
let request = try await server.takeRequest()
precondition(request.method == .get)
