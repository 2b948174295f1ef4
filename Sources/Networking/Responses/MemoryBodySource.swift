internal import AshlarCore

/// A body in memory, returned as one piece.
final class MemoryBodySource: ResponseBodySource {
    private enum State {
        case full([UInt8])
        case done
        case cancelled
    }

    private let state: Mutex<State>

    init(_ bytes: [UInt8]) { state = Mutex(.full(bytes)) }

    func next() async throws(NetworkError) -> [UInt8]? {
        let state = state.withLock { state in
            let before = state
            if case .full = state { state = .done }
            return before
        }
        switch state {
        case .full(let bytes): return bytes.isEmpty ? nil : bytes
        case .done: return nil
        case .cancelled: throw NetworkError(.cancelled, "the body was cancelled", phase: .receive)
        }
    }

    func cancel() {
        state.withLock { if case .full = $0 { $0 = .cancelled } }
    }
}
