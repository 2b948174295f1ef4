internal import AshlarAppConfig
internal import AshlarCore
internal import Foundation

// A fetched document becomes the candidate, and a load or the program accepts or rejects it.
extension RemoteDocument {
    /// Makes a waiting document the candidate; nil if no document waits.
    func activate() -> (bytes: [UInt8], number: Int)? {
        state.withLock { state in
            guard let document = state.waiting else { return nil }
            state.lastNumber += 1
            state.candidate = (document, state.lastNumber)
            state.waiting = nil
            return (document.bytes, state.lastNumber)
        }
    }

    /// Notifies listeners of an activation.
    func announce() { announcements.update { $0 + 1 } }

    /// The candidate and its number, or the accepted document and 0.
    var current: (document: StoredDocument, number: Int, proof: ConfigSourceContent.Proof)? {
        state.withLock { state in
            if let candidate = state.candidate { return (candidate.document, candidate.number, .candidate) }
            return state.accepted.map { ($0, 0, state.isStored ? .stored : .proven) }
        }
    }

    /// Accepts the candidate with a number and stores it, or returns to the last accepted document.
    ///
    /// The number 0 is that of a document which an earlier run stored.
    func settle(_ number: Int, error: (any Error)?) {
        let accepted = state.withLock { state -> StoredDocument? in
            if number == 0, state.isStored {
                state.isStored = false
                guard let error else { return nil }
                state.accepted = nil
                state.error = error
            }
            guard let candidate = state.candidate, candidate.number == number else { return nil }
            state.candidate = nil
            if let error {
                state.error = error
                // No refresh asks for the error of a document that a program activated itself.
                state.rejections = state.rejections.filter { $0.key > number - 16 }
                state.rejections[number] = error
                return nil
            }
            state.accepted = candidate.document
            state.isStored = false
            state.stored.insert(number)
            return candidate.document
        }
        guard let accepted else { return }
        store(accepted)
        let waiters = state.withLock { state in
            state.stored.remove(number)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    private func store(_ document: StoredDocument) {
        guard let cache else { return }
        do throws(RemoteError) {
            try document.write(to: cache, now: Date().timeIntervalSinceReferenceDate) { other in
                var other = other
                guard (try? validate(&other)) != nil else { return .unusable }
                return (other.revision ?? -.infinity) > (document.revision ?? -.infinity) ? .newer : .usable
            }
        } catch {
            state.withLock { $0.error = error }
        }
    }

    /// Waits until a document is stored; returns the error if it was rejected.
    func outcome(of number: Int) async -> (any Error)? {
        while state.withLock({ $0.stored.contains(number) }) {
            await withCheckedContinuation { continuation in
                let isStored = state.withLock { state in
                    if !state.stored.contains(number) { return true }
                    state.waiters.append(continuation)
                    return false
                }
                if isStored { continuation.resume() }
            }
        }
        return state.withLock { $0.rejections.removeValue(forKey: number) }
    }

    /// Returns a stream with an element for each activation.
    func activations() -> AsyncStream<Void> {
        let known = announcements.current
        let numbers = announcements.changes()
        return AsyncStream {
            for await number in numbers where number > known { return () }
            return nil
        }
    }
}
