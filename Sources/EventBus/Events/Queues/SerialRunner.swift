/// A queue in a ring buffer.
struct Fifo<Element> {
    private var ring: ContiguousArray<Element?> = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    var first: Element? { count > 0 ? ring[head] : nil }

    /// - Complexity: O(1), amortized.
    mutating func append(_ element: Element) {
        if count == ring.count { grow() }
        ring[(head + count) & (ring.count - 1)] = element
        count += 1
    }

    /// - Complexity: O(1).
    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = ring[head].take()
        head = (head + 1) & (ring.count - 1)
        count -= 1
        return element
    }

    /// - Complexity: O(*n*).
    mutating func removeFirst(where isIt: (Element) -> Bool) -> Element? {
        let all = removeAll()
        var found: Element?
        for element in all {
            if found == nil, isIt(element) { found = element } else { append(element) }
        }
        return found
    }

    /// Changes the first matching element; returns whether there is one.
    ///
    /// - Complexity: O(*n*).
    mutating func update(where isIt: (Element) -> Bool, _ change: (inout Element) -> Void) -> Bool {
        for offset in 0..<count {
            let index = (head + offset) & (ring.count - 1)
            guard var element = ring[index], isIt(element) else { continue }
            change(&element)
            ring[index] = element
            return true
        }
        return false
    }

    /// - Complexity: O(*n*).
    mutating func removeAll() -> [Element] {
        var all: [Element] = []
        all.reserveCapacity(count)
        while let element = popFirst() { all.append(element) }
        ring = []
        head = 0
        return all
    }

    private mutating func grow() {
        var larger = ContiguousArray<Element?>(repeating: nil, count: max(4, ring.count * 2))
        for index in 0..<count { larger[index] = ring[(head + index) & (ring.count - 1)] }
        (ring, head) = (larger, 0)
    }
}

extension Fifo: Sendable where Element: Sendable {}
