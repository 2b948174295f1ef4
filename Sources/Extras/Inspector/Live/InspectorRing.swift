/// The newest items of an unlimited sequence, numbered from 0.
struct InspectorRing<Item: Sendable>: Sendable {
    private let capacity: Int
    private var items: [Item] = []
    /// The place of the oldest item in `items`; once the array is full, items replace the oldest ones.
    private var start = 0
    /// The number of the next item.
    private(set) var end = 0

    init(capacity: Int) { self.capacity = capacity }

    mutating func append(_ item: Item) {
        if items.count < capacity {
            items.append(item)
        } else {
            items[start] = item
            start = (start + 1) % capacity
        }
        end += 1
    }

    /// Returns the items from a number on, and the number of those before them that are gone.
    func items(from number: Int) -> (items: [Item], missed: Int) {
        let first = end - items.count
        let skipped = max(0, number - first)
        guard skipped < items.count else { return ([], 0) }
        let ordered = items[start...] + items[..<start]
        return (Array(ordered.dropFirst(skipped)), max(0, first - number))
    }
}
