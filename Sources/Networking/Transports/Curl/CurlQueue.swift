#if os(Linux)
    /// The waiting exchanges of one origin, by priority, then in order of arrival.
    struct CurlQueue<Element> {
        /// The place of an element among those of all origins.
        struct Place {
            fileprivate let level: Int
            fileprivate let order: UInt64

            /// Whether the element starts before one of another origin.
            func precedes(_ other: Place, oldest: Bool) -> Bool {
                if oldest || level == other.level { return order < other.order }
                return level > other.level
            }
        }

        /// The elements of one priority; those before `head` have started.
        private struct Level {
            var elements: [(order: UInt64, element: Element)] = []
            var head = 0

            var waiting: ArraySlice<(order: UInt64, element: Element)> { elements[head...] }

            mutating func removeFirst() -> Element {
                let element = elements[head].element
                head += 1
                if head == elements.count {
                    (elements, head) = ([], 0)
                } else if head >= 1024, head * 2 > elements.count {
                    elements.removeFirst(head)
                    head = 0
                }
                return element
            }
        }

        private var levels = [Level](repeating: Level(), count: RequestPriority.allCases.count)

        var isEmpty: Bool { levels.allSatisfy(\.waiting.isEmpty) }
        var elements: [Element] { levels.flatMap { $0.waiting.map(\.element) } }

        /// Adds an element; `order` is larger for each later one.
        mutating func add(_ element: Element, _ priority: RequestPriority, order: UInt64) {
            levels[priority.rawValue].elements.append((order, element))
        }

        /// The place of the next element: the oldest one of all, or of the highest priority.
        func next(oldest: Bool) -> Place? {
            var best: Place?
            for (level, queue) in levels.enumerated() {
                guard let first = queue.waiting.first else { continue }
                let place = Place(level: level, order: first.order)
                if let best, !place.precedes(best, oldest: oldest) { continue }
                best = place
            }
            return best
        }

        /// Removes and returns the element at a place that `next(oldest:)` has returned.
        mutating func remove(_ place: Place) -> Element { levels[place.level].removeFirst() }
    }
#endif
