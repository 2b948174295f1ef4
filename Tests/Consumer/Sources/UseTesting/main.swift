import AshlarEventBus
import AshlarLogging
import AshlarNetworking
import AshlarTesting

let recording = EventRecording(parsing: #"{"v":1,"n":1,"name":"note:saved","payload":5}"#)
var catalog = EventCatalog()
catalog.add(Topic<Int>("note:saved"))
let bus = EventBus()
let watch = bus.watch(Topic<Int>("note:saved")) { print("AshlarTesting alone: \($0.name) \($0.payload)") }
precondition(recording.replay(on: bus, catalog).isEmpty)
watch.cancel()

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
