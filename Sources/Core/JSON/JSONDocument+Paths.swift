/// Paths, lines and columns of values.
extension JSONDocument {
    /// A step from a container to a value directly inside it.
    package enum Step {
        /// A member, by the position of its key.
        case key(Int)
        /// An element, by its number.
        case index(Int)
    }

    /// Calls `body` with each step from the value at `start` to the value at `target` inside it.
    ///
    /// - Complexity: O(log *n*) for each step.
    package func walk(from start: Int, to target: Int, _ body: (Step) -> Void) {
        var current = start
        while current < target {
            let isObject = JSONTape.kind(tape[current]) == JSONTape.object
            let (number, position) = member(of: current, around: target)
            body(isObject ? .key(position) : .index(number))
            current = isObject ? position + 1 : position
        }
    }

    /// Returns the path of the value at a position.
    package func path(to target: Int) -> String {
        var path = "$"
        walk(from: 0, to: target) { step in
            switch step {
            case .key(let position): path += JSONText.pathStep(string(at: position))
            case .index(let number): path += "[\(number)]"
            }
        }
        return path
    }

    /// Returns the number and position of the element, or of the member's key, that contains `target`.
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

    /// Returns the line and the column in bytes of an offset, both from 1; lines end with LF, CR LF or CR.
    ///
    /// - Complexity: O(log *n*) in the number of lines, after a first call of O(*n*) in the length of the text.
    package func position(of offset: Int) -> (line: Int, column: Int) {
        lines.withLock { lines in
            let table = lines ?? LineTable(Array(UnsafeBufferPointer(start: text, count: textCount)))
            lines = table
            return table.position(of: offset)
        }
    }
}
