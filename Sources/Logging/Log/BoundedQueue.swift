/// Elements in order, up to a number of bytes.
package struct BoundedQueue<Element: Sendable>: Sendable {
    package let capacity: Int
    /// The size of all elements.
    package private(set) var bytes = 0
    private var elements: [(element: Element, size: Int)] = []
    /// The index of the oldest element; the array frees the ones before it together.
    private var start = 0

    package init(capacity: Int) { self.capacity = capacity }

    package var count: Int { elements.count - start }
    package var isEmpty: Bool { count == 0 }
    /// The elements, the oldest first.
    package var all: [Element] { elements[start...].map(\.element) }

    /// The oldest element.
    package var first: Element? { isEmpty ? nil : elements[start].element }

    package func hasRoom(for size: Int) -> Bool { bytes + size <= capacity }

    /// Appends an element, whether or not it fits.
    package mutating func append(_ element: Element, size: Int) {
        elements.append((element, size))
        bytes += size
    }

    /// Appends an element and removes the oldest ones that no longer fit; returns the number of elements lost, which
    /// includes the new one if it is larger than the queue.
    package mutating func appendNewest(_ element: Element, size: Int) -> Int {
        guard size <= capacity else { return 1 }
        let before = count
        while !hasRoom(for: size) { _ = popFirst() }
        defer { append(element, size: size) }
        return before - count
    }

    /// Removes and returns the oldest element.
    package mutating func popFirst() -> Element? {
        guard start < elements.count else { return nil }
        let oldest = elements[start]
        bytes -= oldest.size
        start += 1
        if start > 64, start * 2 > elements.count {
            elements.removeFirst(start)
            start = 0
        }
        return oldest.element
    }

    /// Removes and returns all elements, the oldest first.
    package mutating func takeAll() -> [Element] {
        defer { self = BoundedQueue(capacity: capacity) }
        return all
    }
}

extension BoundedQueue<LogRecord> {
    mutating func appendNewest(_ record: LogRecord) -> Int {
        appendNewest(record, size: record.footprint)
    }
}

extension BoundedQueue<[UInt8]> {
    /// Appends a line; returns the number of lines lost for it.
    mutating func appendNewest(_ line: [UInt8]) -> Int { appendNewest(line, size: line.count) }

    /// The bytes of all elements.
    var contents: [UInt8] { Array(all.joined()) }
}
