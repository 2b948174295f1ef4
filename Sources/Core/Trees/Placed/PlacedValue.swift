/// A value of a property list, of JSON, or of another source, with its place.
///
/// The place is a byte offset in the text of a file, or what another source defines. A tree is made, read and freed with
/// recursion, so its reader limits the depth to ``deepest``.
package struct PlacedValue: Sendable {
    /// The maximum number of nested dictionaries and arrays, whatever the format of the source.
    package static let deepest = PropertyListLimits.deepest

    package enum Content: Sendable {
        case null
        case boolean(Bool)
        case integer(Int64)
        /// An integer above `Int64.max`.
        case unsigned(UInt64)
        case real(Double)
        case string(String)
        /// A date in seconds since 2001-01-01T00:00:00Z.
        case date(Double)
        case data([UInt8])
        case array([PlacedValue])
        /// The members in the order of the source.
        case dictionary([Member])
        /// A value that has no other representation, with its description, such as `a larger number`.
        case unsupported(String, expected: String)
    }

    /// A key of a dictionary and its value.
    package struct Member: Sendable {
        package var key: String
        /// The place of the key.
        package var place: UInt32
        package var value: PlacedValue

        package init(_ key: String, place: UInt32 = 0, _ value: PlacedValue) {
            self.key = key
            self.place = place
            self.value = value
        }
    }

    package var content: Content
    package var place: UInt32

    package init(_ content: Content, place: UInt32 = 0) {
        self.content = content
        self.place = place
    }

    /// The members; nil if the value isn't a dictionary.
    package var members: [Member]? {
        if case .dictionary(let members) = content { members } else { nil }
    }

    /// The value of the last member with a key; nil if the value isn't a dictionary or has no such member.
    package subscript(key: String) -> PlacedValue? { members?.last { $0.key == key }?.value }
}

extension PlacedValue {
    /// Creates the value at a position of a JSON document.
    package init(_ document: JSONDocument, at position: Int = 0) {
        place = UInt32(truncatingIfNeeded: document.range(of: position).lowerBound)
        switch document.kind(at: position) {
        case .null: content = .null
        case .bool: content = .boolean(document.isTrue(at: position))
        case .string: content = .string(document.string(at: position))
        case .integer:
            if let number = document.int64(at: position) {
                content = .integer(number)
            } else if let number = document.uint64(at: position) {
                content = .unsigned(number)
            } else {
                content = .unsupported("a larger number", expected: "a 64-bit integer")
            }
        case .fraction:
            content =
                document.double(at: position).map { .real($0) }
                ?? .unsupported("a larger number", expected: "a finite number")
        case .array:
            content = .array(document.children(of: position).map { PlacedValue(document, at: $0) })
        case .object:
            content = .dictionary(
                document.children(of: position).map { key in
                    Member(
                        document.string(at: key),
                        place: UInt32(truncatingIfNeeded: document.range(of: key).lowerBound),
                        PlacedValue(document, at: key + 1))
                })
        }
    }

    /// Creates the value of a node of a property list.
    package init(_ document: PropertyListDocument, at number: Int = 0) {
        let node = document.nodes[number]
        place = node.position
        switch node.kind {
        case .string: content = .string(document.strings[node.index])
        case .integer: content = .integer(node.integer)
        case .unsigned: content = .unsigned(node.unsigned)
        case .real: content = .real(node.real)
        case .boolean: content = .boolean(node.boolean)
        case .date: content = .date(node.real)
        case .data: content = .data(document.blobs[node.index])
        case .uid: content = .unsupported(node.kind.phrase, expected: "a value")
        case .array:
            content = .array(document.children(of: number).map { PlacedValue(document, at: $0) })
        case .dictionary:
            content = .dictionary(
                document.children(of: number).map { child in
                    Member(
                        document.key(of: child), place: document.nodes[child].keyPosition,
                        PlacedValue(document, at: child))
                })
        }
    }
}
