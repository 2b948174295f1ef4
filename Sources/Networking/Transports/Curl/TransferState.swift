/// The progress of a transfer, and the decision whether its request is sent again.
///
/// A server may have processed a request whose response is missing, so it is sent again only if the server can't have
/// received it, if the server stated that it hasn't processed it, or if it is idempotent (RFC 9110, section 9.2.2).
struct TransferState {
    enum Phase {
        /// It waits for a free connection.
        case queued
        /// libcurl resolves the name and connects.
        case connecting
        /// Some of the request remains to be sent.
        case sending
        /// The request is sent.
        case waiting
        /// The head has arrived.
        case receiving
        case done
    }

    enum Event {
        /// libcurl begins with the request.
        case began
        /// libcurl is about to send the request; `isStale` is whether bytes or the end of the connection precede it.
        case connected(isStale: Bool, hasBody: Bool)
        /// The body has been sent.
        case sentBody
        /// The head has arrived.
        case receivedHead
        case ended(Ending)
    }

    enum Ending {
        /// A response, a failure that a repetition doesn't solve, or a cancellation.
        case final
        /// The connection ended before the first byte of the response.
        ///
        /// `wasOpen` is whether it was open before or carries other requests, so that the reason may be older than the
        /// request; `mayRepeat` is whether the request isn't sent or is idempotent.
        case lost(wasOpen: Bool, mayRepeat: Bool)
    }

    enum Action {
        /// libcurl continues.
        case proceed
        /// libcurl must not send the request on this connection.
        case stop
        /// The request is sent again, on a connection without other requests.
        case sendAgain
        /// The transfer ends.
        case finish
    }

    /// The number of times that a server may refuse the request on the connections that libcurl selects.
    private static let mostRefusals = 4
    private static let mostRepetitions = 5

    private(set) var phase = Phase.queued
    /// Whether the head of the response has arrived.
    private(set) var hasHead = false
    /// The number of times that the request was sent again.
    private(set) var repetitions = 0
    /// Whether the server stated each time that it doesn't process the request.
    private(set) var isRefused = false
    private var isStale = false
    /// The number of times that libcurl was about to send the request since it began.
    private var attempts = 0

    /// Changes the phase and returns what follows.
    mutating func on(_ event: Event) -> Action {
        switch event {
        case .began:
            phase = .connecting
            hasHead = false
            isRefused = false
            isStale = false
            attempts = 0
        case .connected(let isStale, let hasBody):
            self.isStale = isStale
            attempts += 1
            // libcurl itself only repeats requests that were refused; a connection of its own can't be full.
            isRefused = attempts > Self.mostRefusals
            if isStale || isRefused { return .stop }
            phase = hasBody ? .sending : .waiting
        case .sentBody: if phase == .sending { phase = .waiting }
        case .receivedHead:
            phase = .receiving
            hasHead = true
        case .ended(let ending):
            let again = sendsAgain(after: ending) && repetitions < Self.mostRepetitions
            phase = again ? .connecting : .done
            guard again else { return .finish }
            repetitions += 1
            return .sendAgain
        }
        return .proceed
    }

    private func sendsAgain(after ending: Ending) -> Bool {
        if isStale || isRefused { return true }
        guard !hasHead, case .lost(let wasOpen, let mayRepeat) = ending else { return false }
        return wasOpen && mayRepeat
    }
}
