/// Suggestions for misspelled names.
package enum NearestName {
    /// Returns the candidate with the fewest edits, the first of several, or nil if the edits exceed a third of the
    /// name.
    ///
    /// Edits are insertions, deletions, replacements and exchanges of adjacent characters, regardless of case.
    ///
    /// - Complexity: O(*n* · *m*) in the length of the name and of all candidates.
    package static func find(_ name: String, among candidates: some Sequence<String>) -> String? {
        let name = Array(name.lowercased().utf8.prefix(256))
        var bound = max(1, name.count / 3)
        var nearest: String?
        for candidate in candidates where bound >= 0 {
            let other = Array(candidate.lowercased().utf8.prefix(256))
            guard abs(other.count - name.count) <= bound, let distance = distance(name, other, atMost: bound)
            else { continue }
            nearest = candidate
            bound = distance - 1
        }
        return nearest
    }

    private static func distance(_ left: [UInt8], _ right: [UInt8], atMost bound: Int) -> Int? {
        var before: [Int] = []
        var previous = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var cost = min(previous[column + 1] + 1, current[column] + 1, previous[column] + (isSame ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, before[column - 1] + 1)
                }
                current.append(cost)
            }
            if let least = current.min(), least > bound { return nil }
            before = previous
            previous = current
        }
        return previous[right.count] <= bound ? previous[right.count] : nil
    }
}
