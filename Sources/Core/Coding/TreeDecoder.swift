/// Decodes types from a tree.
///
/// It stores no path, because a tree finds the path of a value when an error needs it. It is three words long, so that
/// passing it to a type's initializer causes no allocation.
package struct TreeDecoder: Decoder, SingleValueDecodingContainer {
    /// The maximum number of containers within each other, from the decoded value on.
    ///
    /// Types decode their parts with recursion. At this depth, a type with containers of any kind uses less than a half of
    /// 512 KB of stack in optimized builds, which is what a secondary thread of Apple's systems has.
    package static let deepest = 100

    package let tree: any DecodableTree
    private let position: Int32
    /// The number of containers around the value.
    private let depth: Int32

    package var value: Int { Int(position) }

    package init(_ tree: any DecodableTree, at value: Int) { self.init(tree, at: value, depth: 0) }

    fileprivate init(_ tree: any DecodableTree, at value: Int, depth: Int32) {
        self.tree = tree
        position = Int32(truncatingIfNeeded: value)
        self.depth = depth
    }

    /// Returns the number of containers around the parts of a container.
    private func depthOfParts() throws -> Int32 {
        if depth < Self.deepest { return depth + 1 }
        throw DecodingError.dataCorrupted(
            .init(codingPath: [], debugDescription: "more than \(Self.deepest) containers within each other"))
    }

    package var codingPath: [any CodingKey] { tree.codingPath(to: value) }
    package var userInfo: [CodingUserInfoKey: Any] { [:] }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try tree.checkObject(value)
        return KeyedDecodingContainer(TreeMembers<Key>(tree: tree, object: value, depth: try depthOfParts()))
    }

    package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        TreeElements(tree: tree, array: value, next: try tree.firstElement(of: value), depth: try depthOfParts())
    }

    package func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    package func decodeNil() -> Bool { tree.isNull(value) }
    package func decode(_: Bool.Type) throws -> Bool { try tree.bool(value) }
    package func decode(_: String.Type) throws -> String { try tree.string(value) }
    package func decode(_: Double.Type) throws -> Double { try tree.double(value) }
    package func decode(_: Float.Type) throws -> Float { try tree.float(value) }
    package func decode(_: Int.Type) throws -> Int { try tree.int(value) }
    package func decode(_ type: Int8.Type) throws -> Int8 { try tree.integer(type, value) }
    package func decode(_ type: Int16.Type) throws -> Int16 { try tree.integer(type, value) }
    package func decode(_ type: Int32.Type) throws -> Int32 { try tree.integer(type, value) }
    package func decode(_ type: Int64.Type) throws -> Int64 { try tree.integer(type, value) }
    package func decode(_ type: Int128.Type) throws -> Int128 { try tree.integer(type, value) }
    package func decode(_ type: UInt.Type) throws -> UInt { try tree.integer(type, value) }
    package func decode(_ type: UInt8.Type) throws -> UInt8 { try tree.integer(type, value) }
    package func decode(_ type: UInt16.Type) throws -> UInt16 { try tree.integer(type, value) }
    package func decode(_ type: UInt32.Type) throws -> UInt32 { try tree.integer(type, value) }
    package func decode(_ type: UInt64.Type) throws -> UInt64 { try tree.integer(type, value) }
    package func decode(_ type: UInt128.Type) throws -> UInt128 { try tree.integer(type, value) }

    package func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if let value = try tree.special(type, value) { return value }
        return try T(from: self)
    }
}

// The types of almost all properties have methods of their own in the containers below. Other integers decode
// themselves from a `TreeDecoder`.

/// The members of an object.
private struct TreeMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let tree: any DecodableTree
    let object: Int
    /// The number of containers around a member.
    let depth: Int32

    var codingPath: [any CodingKey] { tree.codingPath(to: object) }
    var allKeys: [Key] {
        tree.keys(of: object).compactMap { key in
            Key(stringValue: key) ?? tree.propertyName(of: key).flatMap { Key(stringValue: $0) }
        }
    }

    private func find(_ key: Key) throws -> Int {
        guard let value = tree.member(key.stringValue, of: object) else { throw tree.missing(key, in: object) }
        return value
    }

    private func decoder(_ key: Key) throws -> TreeDecoder { TreeDecoder(tree, at: try find(key), depth: depth) }

    func contains(_ key: Key) -> Bool { tree.member(key.stringValue, of: object) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { tree.isNull(try find(key)) }
    func decode(_: Bool.Type, forKey key: Key) throws -> Bool { try tree.bool(find(key)) }
    func decode(_: String.Type, forKey key: Key) throws -> String { try tree.string(find(key)) }
    func decode(_: Double.Type, forKey key: Key) throws -> Double { try tree.double(find(key)) }
    func decode(_: Int.Type, forKey key: Key) throws -> Int { try tree.int(find(key)) }
    // The standard library's own methods for these two would throw an error.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try decoder(key).decode(type) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try decoder(key).decode(type) }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder(key).decode(type) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        TreeDecoder(tree, at: try tree.superValue(of: object), depth: depth)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

/// The elements of an array.
private struct TreeElements: UnkeyedDecodingContainer {
    let tree: any DecodableTree
    let array: Int
    var next: Int?
    /// The number of containers around an element.
    let depth: Int32
    private(set) var currentIndex = 0

    var codingPath: [any CodingKey] { tree.codingPath(to: array) }
    var count: Int? { tree.count(of: array) }
    var isAtEnd: Bool { next == nil }

    /// Reads the next element and advances only if that succeeds, as the protocol requires.
    private mutating func take<R>(_ read: (Int) throws -> R) throws -> R {
        guard let element = next else { throw tree.missing(index: currentIndex, in: array) }
        let result = try read(element)
        next = tree.element(after: element, of: array)
        currentIndex += 1
        return result
    }

    private mutating func decoder<R>(_ read: (TreeDecoder) throws -> R) throws -> R {
        let (tree, depth) = (tree, depth)
        return try take { try read(TreeDecoder(tree, at: $0, depth: depth)) }
    }

    mutating func decodeNil() throws -> Bool {
        if let next, !tree.isNull(next) { return false }
        return try take { _ in true }
    }

    mutating func decode(_: Bool.Type) throws -> Bool { try decoder { try $0.tree.bool($0.value) } }
    mutating func decode(_: String.Type) throws -> String { try decoder { try $0.tree.string($0.value) } }
    mutating func decode(_: Double.Type) throws -> Double { try decoder { try $0.tree.double($0.value) } }
    mutating func decode(_: Int.Type) throws -> Int { try decoder { try $0.tree.int($0.value) } }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try decoder { try $0.decode(type) } }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try decoder { try $0.decode(type) } }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder { try $0.decode(type) } }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try decoder { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try decoder { $0 } }
}
