internal import AshlarCore
internal import AshlarTrees

/// A value in a JSON document, or the location of a missing one.
///
/// Subscripts never return nil and never trap. If there is no value, they return an entity that isn't valid, that has
/// the requested key, and whose reads return the default. Strings and numbers are converted when they are read.
///
/// ```swift
/// let json = try JSONEntity(parsing: #"{"users": [{"name": "Ada", "age": 36}]}"#)
/// let user = json["users"][0]
/// assert(user["name"].string("nobody") == "Ada")
/// assert(user["address"]["city"].string("unknown") == "unknown")
/// assert(user["address"]["city"].path == "$.users[0].address.city")
/// for user in json["users"] { print(user["age"].int(0)) }
/// ```
///
/// Entities of one document share it and keep it in memory; ``detached()`` returns an independent value. Entities are
/// immutable and thread-safe.
///
/// Keys, defaults and iteration behave as in SquidKit's class of the same name.
public struct JSONEntity: Sendable {
    let document: JSONDocument
    /// The value's position on the tape; for a missing value, that of the innermost existing one.
    let index: Int32
    /// The position of the key on the tape, or one of the two constants below.
    let keyIndex: Int32
    /// The given or requested key, if it isn't on the tape.
    private let ownKey: String
    /// The requested array index of a missing value, or `noIndex` for a requested key.
    private let askedIndex: Int32
    /// The steps from the innermost existing value to a missing one, except the last; at most ``JSONLimits/deepest``.
    private let trail: [JSONStep]
    /// The format of dates and keys for ``date(_:)`` and ``decode(_:)``: in a response, that of the client.
    ///
    /// Values inside this one have the same format. It doesn't affect equality.
    public var format: JSONFormat = .init()
    /// Whether there is a value, including `null`.
    ///
    /// It is false only for a subscript without a result, for ``missing``, and for impossible values.
    public let isValid: Bool

    /// The root, which has no key.
    private static let noKey: Int32 = -1
    /// The key is `ownKey`.
    private static let givenKey: Int32 = -2
    private static let noIndex = Int32.min

    /// A missing value, as returned by a subscript without a result.
    public static let missing = JSONEntity(.empty, 0, isValid: false)

    /// The result of creating a value that JSON can't represent; never valid.
    static let impossible = JSONEntity(.impossible, 0, isValid: false)
    /// Whether this value was created in code and can't be represented in JSON.
    ///
    /// This is true for containers deeper than ``JSONLimits/deepest``, values longer than ``JSONLimits/largest``,
    /// infinite literals, and values created from one of these. They aren't valid, but unlike missing values they don't
    /// become `null` and aren't omitted.
    package var isImpossible: Bool { document === JSONDocument.impossible }

    /// Creates the root of a document.
    init(
        _ document: JSONDocument, _ index: Int32 = 0, key: String? = nil, isValid: Bool = true,
        format: JSONFormat = .init()
    ) {
        self.document = document
        self.format = format
        self.index = index
        self.isValid = isValid
        keyIndex = key == nil ? Self.noKey : Self.givenKey
        ownKey = key ?? ""
        askedIndex = Self.noIndex
        trail = []
    }

    /// Creates a value inside `parent`.
    init(in parent: JSONEntity, _ index: Int, keyIndex: Int32) {
        document = parent.document
        format = parent.format
        self.index = Int32(truncatingIfNeeded: index)
        self.keyIndex = keyIndex
        ownKey = keyIndex == Self.givenKey ? parent.ownKey : ""
        askedIndex = Self.noIndex
        trail = []
        isValid = true
    }

    /// Creates a missing value inside `parent`.
    private init(in parent: JSONEntity, missing key: String?, _ askedIndex: Int32) {
        document = parent.document
        format = parent.format
        index = parent.index
        isValid = false
        keyIndex = key == nil ? parent.keyIndex : Self.givenKey
        ownKey = key ?? parent.ownKey
        self.askedIndex = key == nil ? askedIndex : Self.noIndex
        trail = parent.isValid ? [] : parent.extendedTrail
    }

    /// Returns the value with another format; nil changes nothing.
    package func formatted(_ format: JSONFormat?) -> JSONEntity {
        var value = self
        value.format = format ?? self.format
        return value
    }

    // MARK: Subscripts

    /// Returns a member of an object, or a missing entity.
    ///
    /// Keys are compared scalar by scalar, without Unicode normalization. The last of duplicate keys applies. A missing
    /// key causes no allocation.
    ///
    /// - Complexity: O(*n*) for up to 32 members, otherwise O(1) after a first access of O(*n*).
    public subscript(key: String) -> JSONEntity {
        guard isValid, kind == JSONTape.object, let found = document.find(key, in: Int(index)) else {
            return JSONEntity(in: self, missing: key, Self.noIndex)
        }
        return JSONEntity(in: self, found + 1, keyIndex: Int32(truncatingIfNeeded: found))
    }

    /// Returns an element of an array, or a missing entity.
    ///
    /// The element's ``key`` is that of the array.
    ///
    /// - Complexity: O(`index`) for up to 32 elements, otherwise O(1) after a first access of O(*n*).
    public subscript(index: Int) -> JSONEntity {
        guard isValid, kind == JSONTape.array,
            let position = document.element(index, of: Int(self.index))
        else {
            return JSONEntity(in: self, missing: nil, Swift.max(Int32(clamping: index), Self.noIndex + 1))
        }
        return JSONEntity(in: self, position, keyIndex: keyIndex)
    }

    // MARK: Kind

    var word: JSONTape.Word { document.word(at: Int(index)) }
    var kind: JSONTape.Word { JSONTape.kind(word) }

    /// The key of a member or the requested key; for an element, the key of its array; for the root, empty.
    public var key: String {
        switch keyIndex {
        case Self.noKey: ""
        case Self.givenKey: ownKey
        default: document.string(at: Int(keyIndex))
        }
    }

    /// Whether the value is `null`; false for a missing one.
    public var isNull: Bool { isValid && kind == JSONTape.null }
    /// Whether the value is an array.
    package var isArray: Bool { isValid && kind == JSONTape.array }
    /// Whether the value is an object.
    package var isObject: Bool { isValid && kind == JSONTape.object }

    /// The number of elements or members; 0 for other values.
    ///
    /// - Complexity: O(1), but O(*n*) for the first access to a container of more than 32.
    public var count: Int { isContainer ? document.count(of: Int(index)) : 0 }

    /// Whether there are no elements or members; true for values that aren't containers.
    package var isEmpty: Bool { !isContainer || JSONTape.size(word) == 0 }

    var isContainer: Bool { isValid && JSONTape.isContainer(word) }

    // MARK: Location

    /// The path in the document, such as `$.users[3].name`.
    ///
    /// A missing value has the requested path. A key that isn't a plain name is written in brackets and quotes.
    ///
    /// Beyond 1,024 steps inside a missing value, the last steps are omitted.
    ///
    /// - Complexity: O(*d* log *n*) at depth *d*, but O(*n*) for the first access to a container of more than 32.
    public var path: String {
        let base = document.path(to: Int(index))
        return isValid ? base : base + extendedTrail.map(\.text).joined()
    }

    /// The steps to a missing value; the last ones are omitted beyond the limit.
    ///
    /// Their text is created only for a path, so that a read with a default takes the same time everywhere in a document.
    private var extendedTrail: [JSONStep] { trail.count < JSONLimits.deepest ? trail + [step] : trail }

    /// The last step to a missing value; none for a root.
    private var step: JSONStep {
        if askedIndex != Self.noIndex { return .index(askedIndex) }
        return keyIndex == Self.givenKey ? .key(ownKey) : .none
    }

    /// The byte offset from 0, and the line and column in bytes from 1; nil for a missing value.
    ///
    /// - Complexity: O(log *n*) in the number of lines, but O(*n*) in the length of the text on the first access.
    package var position: (offset: Int, line: Int, column: Int)? {
        guard isValid, document.textCount > 0 else { return nil }
        let offset = document.range(of: Int(index)).lowerBound
        let (line, column) = document.position(of: offset)
        return (offset, line, column)
    }
}

extension JSONEntity: Sequence {
    private struct Values: IteratorProtocol, Sendable {
        private let parent: JSONEntity
        private let isObject: Bool
        private var position: Int
        private let end: Int

        init(_ parent: JSONEntity) {
            self.parent = parent
            isObject = parent.isObject
            position = Int(parent.index) + 1
            end = parent.isContainer ? parent.document.next(after: Int(parent.index)) : 0
        }

        mutating func next() -> JSONEntity? {
            guard position < end else { return nil }
            let value = isObject ? position + 1 : position
            let entity = JSONEntity(
                in: parent, value,
                keyIndex: isObject ? Int32(truncatingIfNeeded: position) : parent.keyIndex)
            position = parent.document.next(after: value)
            return entity
        }
    }

    /// Returns an iterator over the elements of an array or the values of an object, in the order of the document.
    ///
    /// Other values have no elements. A value of an object has its own key; an element has the key of its array.
    public func makeIterator() -> some IteratorProtocol<JSONEntity> & Sendable { Values(self) }
}

extension JSONEntity: Hashable {
    /// Whether both are missing, or both have the same value, regardless of notation.
    ///
    /// Numbers are compared exactly (`1`, `1.0` and `10e-1` are equal), strings by their scalars, and objects by key
    /// and value, in any order. Key and path are ignored.
    ///
    /// - Complexity: O(*n*) in the size of the values.
    public static func == (a: JSONEntity, b: JSONEntity) -> Bool {
        // Not recursive, because a stranger's document can have as many levels as its limit permits.
        var (a, b) = (a, b)
        var parts: [(JSONEntity, JSONEntity)] = []
        while isSame(a, b, except: &parts) {
            guard let next = parts.popLast() else { return true }
            (a, b) = next
        }
        return false
    }

    /// Compares two values without their parts, which it adds to those that remain to be compared.
    private static func isSame(
        _ a: JSONEntity, _ b: JSONEntity, except parts: inout [(JSONEntity, JSONEntity)]
    ) -> Bool {
        guard a.isValid, b.isValid else { return a.isValid == b.isValid }
        if a.document === b.document, a.index == b.index { return true }
        switch (a.kind, b.kind) {
        case (JSONTape.integer...JSONTape.fraction, JSONTape.integer...JSONTape.fraction):
            let (left, right) = (a.document.bytes(at: Int(a.index)), b.document.bytes(at: Int(b.index)))
            return left.elementsEqual(right) || JSONDecimal(left) == JSONDecimal(right)
        case (JSONTape.string...JSONTape.escapedString, JSONTape.string...JSONTape.escapedString):
            return a.stringBytes == b.stringBytes
        case (JSONTape.array, JSONTape.array):
            guard a.count == b.count else { return false }
            parts += zip(a, b)
            return true
        case (JSONTape.object, JSONTape.object):
            // For duplicate keys, only the last is compared, so that the comparison is linear.
            for member in a {
                let key = member.key
                if a[key].index == member.index { parts.append((member, b[key])) }
            }
            return b.allSatisfy { a[$0.key].isValid }
        default:
            return a.kind == b.kind
        }
    }

    /// Hashes the components that equality compares; of containers within many others, only the number of their parts.
    ///
    /// - Complexity: O(*n*) in the size of the value.
    public func hash(into hasher: inout Hasher) { hash(into: &hasher, level: 0) }

    private func hash(into hasher: inout Hasher, level: Int) {
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
            guard level < Self.hashedLevels else { return }
            for element in self { element.hash(into: &hasher, level: level + 1) }
        case JSONTape.object:
            hasher.combine(4 as UInt8)
            // As in the comparison, only the last of duplicate keys counts, and keys are compared by their bytes.
            let members = filter { self[$0.key].index == $0.index }
            hasher.combine(members.count)
            guard level < Self.hashedLevels else { return }
            // The order of members is ignored.
            var sum = 0
            for member in members {
                var own = Hasher()
                own.combine(member.key)
                member.hash(into: &own, level: level + 1)
                sum ^= own.finalize()
            }
            hasher.combine(sum)
        default:
            hasher.combine(UInt8(truncatingIfNeeded: kind) &+ 8)
        }
    }

    /// The number of containers within each other whose parts are hashed, so that a deep value needs little stack.
    private static let hashedLevels = 64

    private var stringBytes: [UInt8] {
        let raw = document.bytes(at: Int(index))
        return kind == JSONTape.string ? Array(raw) : JSONText.unescapedBytes(raw)
    }
}

/// A step from a value to a missing one.
private enum JSONStep: Sendable {
    case key(String)
    case index(Int32)
    case none

    var text: String {
        switch self {
        case .key(let key): JSONText.pathStep(key)
        case .index(let index): "[\(index)]"
        case .none: ""
        }
    }
}
