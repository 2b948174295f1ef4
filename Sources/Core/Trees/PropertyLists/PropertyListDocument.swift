import AshlarCore

/// A parsed property list: a flat list of nodes in preorder, with the position of every value and key.
///
/// Node 0 is the root. The descendants of a container follow it, in the order of the file. The next sibling of a node
/// is its `end`. A document of any depth is created, copied, and freed without recursion.
package struct PropertyListDocument: Sendable {
    package enum Kind: UInt8, Sendable {
        case string, integer, unsigned, real, boolean, date, data, array, dictionary
        /// A reference of a keyed archive; only binary files contain it.
        case uid

        /// The kind with its article, such as `an array`, for messages.
        package var phrase: String {
            switch self {
            case .string: "a string"
            case .integer, .unsigned: "an integer"
            case .real: "a real"
            case .boolean: "a boolean"
            case .date: "a date"
            case .data: "data"
            case .array: "an array"
            case .dictionary: "a dictionary"
            case .uid: "a UID of a keyed archive"
            }
        }
    }

    /// One value with its key.
    package struct Node: Sendable {
        /// The bits of the value, an index into `strings` or `blobs`, or the number of children.
        ///
        /// A date is the bit pattern of its seconds since 2001-01-01T00:00:00Z.
        package var payload: UInt64
        /// The byte offset of the value.
        package var position: UInt32
        /// The byte offset of the key; 0 if the value has none.
        package var keyPosition: UInt32
        /// The start of the key in `keyBytes`.
        package var keyStart: UInt32
        /// The length of the key in bytes.
        package var keyLength: UInt32
        /// The number of the first node after this one and its descendants.
        package var end: UInt32
        package var kind: Kind
    }

    /// Two entries of a dictionary with equal keys.
    package struct Duplicate: Sendable, Hashable {
        /// The node of the entry that `later` replaces.
        package var earlier: Int
        /// The node of the next entry with the same key.
        package var later: Int
    }

    package internal(set) var nodes: [Node] = []
    /// The UTF-8 text of all keys, in the order of the nodes.
    package internal(set) var keyBytes: [UInt8] = []
    /// The text values; a shared object of a binary file occurs once.
    package internal(set) var strings: [String] = []
    /// The data values; a shared object of a binary file occurs once.
    package internal(set) var blobs: [[UInt8]] = []
    /// The duplicate keys of all dictionaries; those of an inner dictionary precede those of the outer one.
    package internal(set) var duplicates: [Duplicate] = []

    /// The key of a node; empty in an array.
    package func key(of node: Int) -> String {
        let start = Int(nodes[node].keyStart)
        return String(decoding: keyBytes[start..<(start + Int(nodes[node].keyLength))], as: UTF8.self)
    }

    /// The children of an array or dictionary, in the order of the file; empty for other kinds.
    package func children(of node: Int) -> Children {
        let isContainer = nodes[node].kind == .array || nodes[node].kind == .dictionary
        return Children(document: self, at: node + 1, end: isContainer ? Int(nodes[node].end) : node + 1)
    }

    package struct Children: Sequence, IteratorProtocol {
        let document: PropertyListDocument
        var at: Int
        let end: Int

        package mutating func next() -> Int? {
            guard at < end else { return nil }
            defer { at = Int(document.nodes[at].end) }
            return at
        }
    }
}

extension PropertyListDocument.Node {
    package var integer: Int64 { Int64(bitPattern: payload) }
    package var unsigned: UInt64 { payload }
    package var boolean: Bool { payload != 0 }
    /// The number of a `real`, or the seconds of a `date`.
    package var real: Double { Double(bitPattern: payload) }
    /// The index of a `string` or `data` value, or the number of children.
    package var index: Int { Int(truncatingIfNeeded: payload) }
}

/// The reason why bytes aren't a property list, and the position of the problem.
package struct PropertyListError: Error, Sendable, Hashable {
    package enum Code: Sendable {
        /// The bytes violate the format.
        case malformed
        /// The value exceeds one of the ``PropertyListLimits``.
        case limitExceeded
    }

    package var code = Code.malformed
    /// The byte offset of the problem.
    package var offset: Int
    /// The line and column of the problem, counted from 1; `nil` in a binary file.
    package var line: Int?
    package var column: Int?
    /// The path of the value being read.
    package var path: [TreeStep] = []
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
    /// The maximum nesting of arrays and dictionaries in a tree, which other work than decoding also visits with recursion.
    ///
    /// It is the one of `TreeDecoder`, which the parsers don't need otherwise.
    package static let deepest = 100

    /// The deepest nesting of arrays and dictionaries.
    package var depth: Int
    /// The number of values; each use of a shared object of a binary file is one value.
    package var values: Int
    /// The total length of all keys in bytes, including each use of a shared key of a binary file.
    package var keyBytes: Int

    package init(depth: Int = PropertyListLimits.deepest, values: Int = 4_000_000, keyBytes: Int = 64 << 20) {
        self.depth = depth
        self.values = values
        self.keyBytes = keyBytes
    }
}
