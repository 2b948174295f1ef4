/// A tree of values that types can be decoded from; see ``TreeDecoder``.
///
/// Values are addressed by numbers that only the tree interprets. A tree is a class, so that every decoder and container
/// has the same size for every tree; the compiler can't specialize containers for the coding keys of other modules.
package protocol DecodableTree: AnyObject {
    /// Returns the keys and indexes that lead from the decoded value to a value.
    func codingPath(to value: Int) -> [any CodingKey]

    // MARK: Scalars

    func isNull(_ value: Int) -> Bool
    func bool(_ value: Int) throws -> Bool
    func string(_ value: Int) throws -> String
    func double(_ value: Int) throws -> Double
    func float(_ value: Int) throws -> Float
    func int(_ value: Int) throws -> Int
    func integer<I: FixedWidthInteger>(_ type: I.Type, _ value: Int) throws -> I

    /// Returns a value of a type that the tree itself represents, such as a date; nil for a type that decodes itself.
    func special<T>(_ type: T.Type, _ value: Int) throws -> T?

    // MARK: Objects

    /// Throws an error if a value isn't an object.
    func checkObject(_ value: Int) throws
    /// Returns the keys of an object, each once.
    func keys(of object: Int) -> [String]
    /// Returns the property name that a key of an object can also stand for, or nil.
    func propertyName(of key: String) -> String?
    /// Returns the value of a key.
    func member(_ key: String, of object: Int) -> Int?
    /// Returns the value from which the superclass of an object's class is decoded.
    func superValue(of object: Int) throws -> Int
    /// Returns the error for a key without a value.
    func missing(_ key: any CodingKey, in object: Int) -> any Error

    // MARK: Arrays

    /// Returns the first element of an array; throws an error if the value isn't an array.
    func firstElement(of array: Int) throws -> Int?
    func element(after element: Int, of array: Int) -> Int?
    func count(of array: Int) -> Int
    /// Returns the error for an element after the last.
    func missing(index: Int, in array: Int) -> any Error
}

// The errors of the standard library, for trees that have no errors of their own.
extension DecodableTree {
    package func int(_ value: Int) throws -> Int { try integer(Int.self, value) }

    package func propertyName(of key: String) -> String? { nil }

    package func superValue(of object: Int) throws -> Int {
        guard let value = member("super", of: object) else { throw missing(TreeKey("super"), in: object) }
        return value
    }

    package func missing(_ key: any CodingKey, in object: Int) -> any Error {
        DecodingError.keyNotFound(
            key, .init(codingPath: codingPath(to: object), debugDescription: "no value under '\(key.stringValue)'"))
    }

    package func missing(index: Int, in array: Int) -> any Error {
        DecodingError.valueNotFound(
            Any.self,
            .init(
                codingPath: codingPath(to: array) + [TreeKey(index: index)],
                debugDescription: "expected an element, found the end of the array"))
    }

    /// Returns the error for a value of another type.
    package func mismatch(_ type: Any.Type, expected: String, found: String, at value: Int) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath(to: value), debugDescription: "expected \(expected), found \(found)")
        return isNull(value) ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}

/// A step of a coding path.
package struct TreeKey: CodingKey {
    package let stringValue: String
    package let intValue: Int?

    package init(_ key: String) {
        stringValue = key
        intValue = nil
    }

    package init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    package init(stringValue: String) { self.init(stringValue) }
    package init(intValue: Int) { self.init(index: intValue) }
}
