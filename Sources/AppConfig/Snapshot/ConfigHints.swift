/// Suggestions for misspelled names.
enum ConfigHints {
    /// The candidate with the fewest edits, if they are at most a third of the name; among equals the first.
    static func nearest(to name: String, among candidates: some Sequence<String>) -> String? {
        let name = Array(name.lowercased().utf8.prefix(256))
        let limit = max(1, name.count / 3)
        var best: (distance: Int, name: String)?
        for candidate in candidates {
            let other = Array(candidate.lowercased().utf8.prefix(256))
            let bound = best.map { $0.distance - 1 } ?? limit
            if bound < 0 || abs(other.count - name.count) > bound { continue }
            if let distance = distance(name, other, atMost: bound) { best = (distance, candidate) }
        }
        return best?.name
    }

    /// Edits between two names (insertion, deletion, replacement, exchange of neighbours); nil if over the bound.
    static func distance(_ left: [UInt8], _ right: [UInt8], atMost bound: Int) -> Int? {
        var before: [Int] = []
        var previous = Array(0...right.count)
        for row in 0..<left.count {
            var current = [row + 1]
            for column in 0..<right.count {
                let isSame = left[row] == right[column]
                var cost = min(previous[column + 1] + 1, current[column] + 1, previous[column] + (isSame ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, before[column - 1] + 1)
                }
                current.append(cost)
            }
            if let least = current.min(), least > bound { return nil }
            (before, previous) = (previous, current)
        }
        return previous[right.count] <= bound ? previous[right.count] : nil
    }
}
