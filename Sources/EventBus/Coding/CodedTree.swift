internal import AshlarCore

/// A coded value that types are decoded from; values are numbered when their containers are read.
final class CodedTree: DecodableTree {
    private struct Node {
        let value: CodedValue
        let key: TreeKey?
        let parent: Int
        var children: Range<Int>?
    }

    private var nodes: [Node]
    /// The members of large objects by key.
    private var indexes: [Int: [ByteText: Int]] = [:]

    init(_ value: CodedValue) { nodes = [Node(value: value, key: nil, parent: 0)] }

    func codingPath(to value: Int) -> [any CodingKey] {
        var keys: [any CodingKey] = []
        var value = value
        while let key = nodes[value].key {
            keys.append(key)
            value = nodes[value].parent
        }
        return keys.reversed()
    }

    // MARK: Scalars

    func isNull(_ value: Int) -> Bool { nodes[value].value.isNull }

    func special<T>(_ type: T.Type, _ value: Int) throws -> T? {
        // A parameter of a route may have been converted to this type during the match.
        if case .converted(let converted, _) = nodes[value].value { converted as? T } else { nil }
    }

    func bool(_ value: Int) throws -> Bool {
        if let converted = try special(Bool.self, value) { return converted }
        if case .bool(let value) = nodes[value].value { return value }
        guard let bool = nodes[value].value.text.flatMap({ Bool($0) }) else {
            throw mismatch(Bool.self, "true or false", value)
        }
        return bool
    }

    func string(_ value: Int) throws -> String {
        if let converted = try special(String.self, value) { return converted }
        guard let text = nodes[value].value.string else { throw mismatch(String.self, "a string", value) }
        return text
    }

    func double(_ value: Int) throws -> Double { try number(value, "a finite number") { $0.isFinite } }
    func float(_ value: Int) throws -> Float { try number(value, "a finite number") { $0.isFinite } }
    func integer<I: FixedWidthInteger>(_ type: I.Type, _ value: Int) throws -> I { try number(value, "an integer") }

    private func number<Number: LosslessStringConvertible>(
        _ value: Int, _ expected: String, _ isValid: (Number) -> Bool = { _ in true }
    ) throws -> Number {
        if let converted = try special(Number.self, value) { return converted }
        var text = nodes[value].value.text
        if case .number(let written) = nodes[value].value { text = written }
        guard let text else { throw mismatch(Number.self, expected, value) }
        // The initializers of the standard library also accept "+1" and "0x1p3".
        guard text.first != "+", !text.utf8.contains(UInt8(ascii: "x")), let number = Number(text), isValid(number)
        else { throw mismatch(Number.self, "\(expected) that fits \(Number.self)", value) }
        return number
    }

    // MARK: Containers

    func checkObject(_ value: Int) throws {
        if case .object = nodes[value].value { return }
        throw mismatch([String: Any].self, "an object", value)
    }

    func keys(of object: Int) -> [String] {
        var seen: Set<ByteText> = []
        return children(of: object).compactMap { nodes[$0].key?.stringValue }
            .filter { seen.insert(ByteText($0)).inserted }
    }

    /// Returns the value of a key; of duplicate keys, the last applies.
    func member(_ key: String, of object: Int) -> Int? {
        let children = children(of: object)
        guard children.count > 16 else {
            return children.last { nodes[$0].key?.stringValue.hasSameBytes(as: key) == true }
        }
        if indexes[object] == nil {
            indexes[object] = Dictionary(children.map { (ByteText(nodes[$0].key?.stringValue ?? ""), $0) }) { $1 }
        }
        return indexes[object]?[ByteText(key)]
    }

    func firstElement(of array: Int) throws -> Int? {
        switch nodes[array].value {
        case .array, .list, .converted: return children(of: array).first
        default: throw mismatch([Any].self, "an array", array)
        }
    }

    func element(after element: Int, of array: Int) -> Int? {
        element + 1 < children(of: array).upperBound ? element + 1 : nil
    }

    func count(of array: Int) -> Int { children(of: array).count }

    private func children(of parent: Int) -> Range<Int> {
        if let children = nodes[parent].children { return children }
        let first = nodes.count
        func append(_ value: CodedValue, _ key: TreeKey) { nodes.append(Node(value: value, key: key, parent: parent)) }
        switch nodes[parent].value {
        case .object(let members): for (key, value) in members { append(value, TreeKey(key)) }
        case .array(let elements): for (index, value) in elements.enumerated() { append(value, TreeKey(index: index)) }
        case .list(let texts): for (index, text) in texts.enumerated() { append(.list([text]), TreeKey(index: index)) }
        case .converted(_, let text): append(.list([text]), TreeKey(index: 0))
        default: break
        }
        nodes[parent].children = first..<nodes.count
        return first..<nodes.count
    }

    // MARK: Errors

    private func mismatch(_ type: Any.Type, _ expected: String, _ value: Int) -> DecodingError {
        mismatch(type, expected: expected, found: nodes[value].value.kind, at: value)
    }
}
