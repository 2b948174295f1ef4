internal import AshlarCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Holds live events back until the stored ones have been delivered.
///
/// The thread that replays also delivers the events that are queued here meanwhile, in order. If that doesn't come to an
/// end because others leave more all the time, the gate is crowded: the line is divided by producer, and each
/// producer that comes again works off what it has left itself and passes from then on. So the one who replays waits
/// for nobody's events for ever, every producer pays for its own, and the events of each stay in their order.
final class ReplayGate: Sendable {
    typealias Work = @Sendable () -> Void

    /// Whose events must stay in order.
    enum Producer: Hashable {
        case thread(UInt32)
        /// Threads take turns at delivering an ordered topic, so the order is that of the topic.
        case orderedTopic(String)
    }

    /// The number of live events that are delivered before the gate is crowded.
    static let patience = 1024

    private let opened = Atomic(false)
    private let state = Mutex(State())

    var isOpen: Bool { opened.load(ordering: .acquiring) }

    /// Leaves work to be done in its turn; false if the caller has nothing to wait for, and is to do it himself.
    func leave(_ producer: Producer, _ work: @escaping Work) -> Bool {
        guard !isOpen else { return false }
        switch state.withLock({ isOpen ? .pass : $0.leave(producer, work) }) {
        case .pass: return false
        case .wait: return true
        case .workOff:
            while let work = nextOwn(producer) { work() }
            return true
        }
    }

    /// Does what has been left here, until nothing is or others have taken theirs over, and lets all pass then.
    func open() {
        for _ in 0..<Self.patience {
            guard let work = next() else { return }
            work()
        }
        state.withLock { $0.divide() }
        var round: UInt32 = 1
        // Of those who go on producing, each comes by while nothing of it is being worked on, and takes it over. The
        // pauses grow until they are longer than the slowest needs for that.
        while giveWay(milliseconds: round) {
            for _ in 0..<Self.patience * Int(round) {
                guard let (producer, work) = state.withLock({ $0.takeOldest() }) else { break }
                work()
                state.withLock { release(producer, &$0) }
            }
            round = min(round * 2, 1024)
        }
    }

    private func next() -> Work? {
        state.withLock { state in
            let work = state.line.popFirst()?.work
            if work == nil { opened.store(true, ordering: .releasing) }
            return work
        }
    }

    private func nextOwn(_ producer: Producer) -> Work? {
        state.withLock { state in
            let work = state.popOwn(producer)
            if work == nil { release(producer, &state) }
            return work
        }
    }

    /// Ends the work on what a producer has left; the last one opens the gate for all.
    private func release(_ producer: Producer, _ state: inout State) {
        state.release(producer)
        if state.isEmpty { opened.store(true, ordering: .releasing) }
    }

    /// Pauses while there is something that its producer may take over; false if there is nothing left.
    private func giveWay(milliseconds: UInt32) -> Bool {
        for _ in 0..<milliseconds {
            guard hasUntaken() else { return false }
            usleep(1000)
        }
        return hasUntaken()
    }

    private func hasUntaken() -> Bool {
        state.withLock { state in
            if state.isEmpty { opened.store(true, ordering: .releasing) }
            return state.hasUntaken
        }
    }
}

extension ReplayGate {
    private enum Turn {
        case pass
        case wait
        case workOff
    }

    private struct Left {
        let producer: Producer
        let number: UInt64
        let work: Work
    }

    /// What one producer has left.
    private struct Share {
        var line = Fifo<Left>()
        /// Whether somebody is working on it, who will release it.
        var isTaken = false
    }

    private struct State {
        /// What has been left before the gate was crowded.
        var line = Fifo<Left>()
        private var shares: [Producer: Share] = [:]
        private var isCrowded = false
        private var number: UInt64 = 0

        var isEmpty: Bool { line.isEmpty && shares.isEmpty }
        var hasUntaken: Bool { shares.values.contains { !$0.isTaken } }

        mutating func leave(_ producer: Producer, _ work: @escaping Work) -> Turn {
            let isKnown = shares[producer] != nil
            guard isKnown || !isCrowded else { return .pass }
            number += 1
            let left = Left(producer: producer, number: number, work: work)
            guard isCrowded else {
                line.append(left)
                return .wait
            }
            shares[producer]?.line.append(left)
            if shares[producer]?.isTaken == true { return .wait }
            shares[producer]?.isTaken = true
            return .workOff
        }

        mutating func divide() {
            isCrowded = true
            while let left = line.popFirst() { shares[left.producer, default: Share()].line.append(left) }
        }

        /// Takes the next work out of a share that the caller has taken.
        mutating func popOwn(_ producer: Producer) -> Work? { shares[producer]?.line.popFirst()?.work }

        /// Takes the share with the oldest work of those that nobody works on, and that work out of it.
        mutating func takeOldest() -> (Producer, Work)? {
            let oldest = shares.values.lazy.filter { !$0.isTaken }.compactMap(\.line.first).min {
                $0.number < $1.number
            }
            guard let oldest else { return nil }
            shares[oldest.producer]?.isTaken = true
            _ = shares[oldest.producer]?.line.popFirst()
            return (oldest.producer, oldest.work)
        }

        mutating func release(_ producer: Producer) {
            shares[producer]?.isTaken = false
            if shares[producer]?.line.isEmpty == true { shares[producer] = nil }
        }
    }
}
