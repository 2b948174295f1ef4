/// Where values stand: their path, and their line and column.
extension JSONDocument {
    /// A step on the way from one value to another inside it.
    enum Step {
        /// A member, by the position of its key.
        case key(Int)
        /// An element, by its number.
        case index(Int)
    }

    /// Calls `body` with every step from the value at `start` to the one at `target`.
    ///
    /// O(log *n*) a step in containers that have an index; O(1) in the others, as they are small.
    func walk(from start: Int, to target: Int, _ body: (Step) -> Void) {
        var current = start
        while current < target {
            let isObject = JSONTape.kind(tape[current]) == JSONTape.object
            let (number, position) = member(of: current, around: target)
            body(isObject ? .key(position) : .index(number))
            current = isObject ? position + 1 : position
        }
    }

    /// The path of the value at a position of the tape.
    func path(to target: Int) -> String {
        var path = "$"
        walk(from: 0, to: target) { step in
            switch step {
            case .key(let position): path += JSONPlace.step(string(at: position))
            case .index(let number): path += "[\(number)]"
            }
        }
        return path
    }

    /// The number and the position of the element, or of the key of the member, in which `target` lies.
    private func member(of container: Int, around target: Int) -> (number: Int, position: Int) {
        if JSONTape.size(tape[container]) == JSONTape.many {
            let positions = index(of: container).positions
            var (low, high) = (0, positions.count)
            while high - low > 1 {
                let middle = (low + high) / 2
                if Int(positions[middle]) <= target { low = middle } else { high = middle }
            }
            return (low, Int(positions[low]))
        }
        let isObject = JSONTape.kind(tape[container]) == JSONTape.object
        var (number, position) = (0, container + 1)
        while true {
            let following = next(after: isObject ? position + 1 : position)
            if target < following { return (number, position) }
            (number, position) = (number + 1, following)
        }
    }
}
