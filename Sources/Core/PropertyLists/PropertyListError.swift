/// The reason why bytes aren't a property list, and the position of the problem.
package struct PropertyListError: Error, Sendable, Hashable {
    package enum Code: Sendable {
        /// The bytes violate the format.
        case malformed
        /// The value exceeds one of the ``PropertyListLimits``.
        case limitExceeded
    }

    /// One step from the root to a value.
    package enum Step: Sendable, Hashable {
        case key(String)
        case index(Int)
    }

    package var code = Code.malformed
    /// The byte offset of the problem.
    package var offset: Int
    /// The line and column of the problem, counted from 1; `nil` in a binary file.
    package var line: Int?
    package var column: Int?
    /// The path of the value being read.
    package var path: [Step] = []
    /// The problem, unless `expected` and `found` state it.
    package var reason: String?
    package var expected: String?
    /// The text found, which can contain a part of a secret value.
    package var found: String?

    /// The message without its position.
    package var message: String {
        if let reason { return reason }
        return "expected \(expected ?? "a value")" + (found.map { ", found \($0)" } ?? "")
    }
}

/// The limits of a property list.
package struct PropertyListLimits: Sendable, Hashable {
    /// The deepest nesting of arrays and dictionaries.
    package var depth: Int
    /// The number of values; each use of a shared object of a binary file is one value.
    package var values: Int
    /// The total length of all keys in bytes, including each use of a shared key of a binary file.
    package var keyBytes: Int

    package init(depth: Int = 512, values: Int = 4_000_000, keyBytes: Int = 64 << 20) {
        (self.depth, self.values, self.keyBytes) = (depth, values, keyBytes)
    }
}
