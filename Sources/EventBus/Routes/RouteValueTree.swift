internal import AshlarCore

/// The parameters and query items of a URL as an object, from which a ``TypedRoute`` decodes its value.
///
/// For an enumeration, this object is the only member of another one, under the name of the case.
final class RouteValueTree: DecodableTree {
    private struct Node {
        let key: TreeKey?
        let parent: Int
        /// The value; nil for an object and for a repeated query item, which is only an array.
        var value: RouteValue?
        /// The members; nil unless this is an object.
        var members: [ByteText: Int]?
        /// The number of elements, which are the next nodes.
        var count = 0
    }

    private var nodes = [Node(key: nil, parent: 0, members: [:])]

    init(_ match: RouteMatch, caseName: String?) {
        if let caseName {
            nodes[0].members = [ByteText(caseName): 1]
            nodes.append(Node(key: TreeKey(caseName), parent: 0, members: [:]))
        }
        let object = nodes.count - 1
        for (name, value) in zip(match.parameters.names, match.parameters.values) {
            append(ByteText(name), value, value.segments, to: object)
        }
        let items = Dictionary(grouping: match.query.items) { ByteText($0.name) }
        // A parameter takes precedence over a query item of the same name.
        for (name, items) in items where member(name.text, of: object) == nil {
            let texts = items.map { $0.value ?? "" }
            append(name, texts.count == 1 ? RouteValue(text: texts[0]) : nil, texts, to: object)
        }
    }

    private func append(_ name: ByteText, _ value: RouteValue?, _ elements: [String], to object: Int) {
        let number = nodes.count
        nodes[object].members?[name] = number
        nodes.append(Node(key: TreeKey(name.text), parent: object, value: value, count: elements.count))
        for (index, text) in elements.enumerated() {
            nodes.append(Node(key: TreeKey(index: index), parent: number, value: RouteValue(text: text)))
        }
    }

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

    func isNull(_ value: Int) -> Bool { false }

    func special<T>(_ type: T.Type, _ value: Int) throws -> T? {
        if let converted = converted(type, value) { return converted }
        guard let text = nodes[value].value?.text, let decodable = type as? any Decodable.Type else { return nil }
        // The forms in which Foundation's types decode themselves.
        var form = Node(key: nodes[value].key, parent: nodes[value].parent)
        switch "\(type)" {
        case "URL": form.members = [ByteText(FoundationText.urlKey): value]
        case "Date":
            guard let moment = RFC3339.parse(text.utf8) else { return nil }
            form.value = RouteValue(text: "\(moment.secondsSince2001)")
        default: return nil
        }
        nodes.append(form)
        return try decodable.init(from: TreeDecoder(self, at: nodes.count - 1)) as? T
    }

    /// Returns the value to which the parameter's type converted the text during the match, if it has this type.
    private func converted<T>(_ type: T.Type, _ value: Int) -> T? { nodes[value].value?.converted as? T }

    func bool(_ value: Int) throws -> Bool { try scalar(value, "true or false") }

    func string(_ value: Int) throws -> String {
        if let converted = converted(String.self, value) { return converted }
        guard let text = nodes[value].value?.text else { throw mismatch(String.self, "a string", value) }
        return text
    }

    func double(_ value: Int) throws -> Double { try scalar(value, "a finite number") { $0.isFinite } }
    func float(_ value: Int) throws -> Float { try scalar(value, "a finite number") { $0.isFinite } }
    func integer<I: FixedWidthInteger>(_ type: I.Type, _ value: Int) throws -> I {
        try scalar(value, "an integer that fits \(type)")
    }

    private func scalar<Scalar: LosslessStringConvertible>(
        _ value: Int, _ expected: String, _ isValid: (Scalar) -> Bool = { _ in true }
    ) throws -> Scalar {
        if let converted = converted(Scalar.self, value) { return converted }
        // The initializers of the standard library also accept "+1" and "0x1p3".
        guard let found = nodes[value].value, found.segments.count == 1, found.text.first != "+",
            !found.text.utf8.contains(UInt8(ascii: "x")), let scalar = Scalar(found.text), isValid(scalar)
        else { throw mismatch(Scalar.self, expected, value) }
        return scalar
    }

    // MARK: Containers

    func checkObject(_ value: Int) throws {
        if nodes[value].members == nil { throw mismatch([String: Any].self, "an object", value) }
    }

    func keys(of object: Int) -> [String] { (nodes[object].members ?? [:]).keys.map(\.text) }

    func member(_ key: String, of object: Int) -> Int? { nodes[object].members?[ByteText(key)] }

    func firstElement(of array: Int) throws -> Int? {
        guard nodes[array].count > 0 else { throw mismatch([Any].self, "an array", array) }
        return array + 1
    }

    func element(after element: Int, of array: Int) -> Int? {
        element < array + nodes[array].count ? element + 1 : nil
    }

    func count(of array: Int) -> Int { nodes[array].count }

    // MARK: Errors

    private func mismatch(_ type: Any.Type, _ expected: String, _ value: Int) -> DecodingError {
        let node = nodes[value]
        let found = node.value.map { "\"\($0.text.prefix(40))\"" } ?? (node.members == nil ? "an array" : "an object")
        return mismatch(type, expected: expected, found: found, at: value)
    }
}

extension EventBusError {
    /// Returns the reason and the path of a decoding error, in one line.
    package static func reason(of error: any Error) -> String {
        let context: DecodingError.Context
        switch error {
        case DecodingError.keyNotFound(_, let found), DecodingError.typeMismatch(_, let found),
            DecodingError.valueNotFound(_, let found), DecodingError.dataCorrupted(let found):
            context = found
        default: return "\(error)"
        }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        return "\(context.debugDescription) at $\(path)"
    }
}
