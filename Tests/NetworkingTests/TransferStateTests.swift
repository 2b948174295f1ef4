#if os(Linux)
    import Testing

    @testable import AshlarNetworking

    /// The decision whether a request is sent again.
    @Suite(.timeLimit(.minutes(5))) struct TransferStateTests {
        struct Case: CustomTestStringConvertible, Sendable {
            let testDescription: String
            /// The events after the beginning.
            let events: [TransferState.Event]
            let action: TransferState.Action
        }

        private static let sent = TransferState.Event.connected(isStale: false, hasBody: false)

        static let cases = [
            Case(testDescription: "a response", events: [sent, .receivedHead, .ended(.final)], action: .finish),
            Case(testDescription: "a failure", events: [sent, .ended(.final)], action: .finish),
            Case(testDescription: "a failure to connect", events: [.ended(.final)], action: .finish),
            Case(
                testDescription: "an open connection ends, and the request is idempotent",
                events: [sent, .ended(.lost(wasOpen: true, mayRepeat: true))], action: .sendAgain),
            Case(
                testDescription: "an open connection ends, and the request isn't idempotent",
                events: [sent, .ended(.lost(wasOpen: true, mayRepeat: false))], action: .finish),
            Case(
                testDescription: "a new connection ends",
                events: [sent, .ended(.lost(wasOpen: false, mayRepeat: true))], action: .finish),
            Case(
                testDescription: "a connection ends behind the head",
                events: [sent, .receivedHead, .ended(.lost(wasOpen: true, mayRepeat: true))], action: .finish),
            Case(
                testDescription: "bytes precede the request",
                events: [.connected(isStale: true, hasBody: true), .ended(.final)], action: .sendAgain),
            Case(
                testDescription: "the server refuses the request once", events: [sent, sent, .ended(.final)],
                action: .finish),
            Case(
                testDescription: "the server refuses the request five times",
                events: [sent, sent, sent, sent, sent, .ended(.final)], action: .sendAgain),
        ]

        @Test("A request is sent again if it wasn't processed or may be processed twice", arguments: cases)
        func decision(input: Case) {
            var state = TransferState()
            _ = state.on(.began)
            let actions = input.events.map { state.on($0) }
            #expect(actions.last == input.action)
            #expect(state.phase == (input.action == .sendAgain ? .connecting : .done))
        }

        @Test("A request is sent again at most five times")
        func limit() {
            var state = TransferState()
            for number in 0...5 {
                let events = [.began, Self.sent, .ended(.lost(wasOpen: true, mayRepeat: true))]
                let actions = events.map { state.on($0) }
                #expect(actions == [.proceed, .proceed, number < 5 ? .sendAgain : .finish])
            }
        }

        @Test("The phases of a request with a body follow each other")
        func phases() {
            var state = TransferState()
            #expect(state.phase == .queued)
            let steps: [(TransferState.Event, TransferState.Phase)] = [
                (.began, .connecting), (.connected(isStale: false, hasBody: true), .sending), (.sentBody, .waiting),
                (.receivedHead, .receiving), (.ended(.final), .done),
            ]
            for (event, phase) in steps {
                _ = state.on(event)
                #expect(state.phase == phase)
            }
            #expect(state.hasHead)
        }
    }
#endif
