import AshlarFleet

// Uses the connection without a server: malformed options are refused, whether the C client is installed or not.
var topics = FleetTopics()
topics.share(Topic<Int>("job:new"), .atLeastOnce)
do {
    _ = try await Fleet.connect(EventBus(), to: "http://127.0.0.1", role: "worker", topics: topics)
    preconditionFailure("a malformed URL must be refused")
} catch {
    precondition(error.code == .invalidOptions, "\(error)")
    print("AshlarFleet works alone: \(error)")
}
