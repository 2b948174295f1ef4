internal import AshlarCore

extension JSONEntity: Hashable {
    /// Whether both are missing, or both have the same value, regardless of notation.
    ///
    /// Numbers are compared exactly (`1`, `1.0` and `10e-1` are equal), strings by their scalars, and objects by key
    /// and value, in any order. Key, path and coercion rule are ignored.
    ///
    /// - Complexity: O(*n*) in the size of the values.
    public static func == (a: JSONEntity, b: JSONEntity) -> Bool {
        guard a.isValid, b.isValid else { return a.isValid == b.isValid }
        if a.document === b.document, a.index == b.index { return true }
        switch (a.kind, b.kind) {
        case (JSONTape.integer...JSONTape.fraction, JSONTape.integer...JSONTape.fraction):
            let (left, right) = (a.document.bytes(at: Int(a.index)), b.document.bytes(at: Int(b.index)))
            return left.elementsEqual(right) || JSONDecimal(left) == JSONDecimal(right)
        case (JSONTape.string...JSONTape.escapedString, JSONTape.string...JSONTape.escapedString):
            return a.stringBytes == b.stringBytes
        case (JSONTape.array, JSONTape.array):
            return a.count == b.count && a.elementsEqual(b)
        case (JSONTape.object, JSONTape.object):
            // For duplicate keys, only the last is compared, so that the comparison is linear.
            return a.allSatisfy { member in
                let key = member.key
                return a[key].index != member.index || member == b[key]
            } && b.allSatisfy { a[$0.key].isValid }
        default:
            return a.kind == b.kind
        }
    }

    /// Hashes the components that equality compares.
    ///
    /// - Complexity: O(*n*) in the size of the value.
    public func hash(into hasher: inout Hasher) {
        guard isValid else { return hasher.combine(0 as UInt8) }
        switch kind {
        case JSONTape.integer, JSONTape.fraction:
            hasher.combine(1 as UInt8)
            hasher.combine(JSONDecimal(document.bytes(at: Int(index))))
        case JSONTape.string, JSONTape.escapedString:
            hasher.combine(2 as UInt8)
            hasher.combine(stringBytes)
        case JSONTape.array:
            hasher.combine(3 as UInt8)
            hasher.combine(count)
            for element in self { hasher.combine(element) }
        case JSONTape.object:
            // The order of members is ignored.
            hasher.combine(4 as UInt8)
            hasher.combine(object() ?? [:])
        default:
            hasher.combine(UInt8(truncatingIfNeeded: kind) &+ 8)
        }
    }

    private var stringBytes: [UInt8] {
        let raw = document.bytes(at: Int(index))
        return kind == JSONTape.string ? Array(raw) : JSONText.unescapedBytes(raw)
    }
}
