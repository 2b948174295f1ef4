internal import AshlarCore

/// A value somewhere in a JSON document, or the place where one was asked for and is missing.
///
/// Subscripts never give nil and never trap: what is not there is an entity that is not valid, keeps the key that
/// was asked for, and yields the fallback of every read. Nothing but the text is kept; strings and numbers are
/// converted when they are read.
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
/// An entity is a small value that shares the parsed document with all others that came from it and keeps the whole
/// document alive; ``detached()`` cuts it off. It may be used from any number of threads.
///
/// The idea and the behaviour of keys, fallbacks and iteration are those of SquidKit's class of the same name.
public struct JSONEntity: Sendable {
    let document: JSONDocument
    /// The value's position on the tape; of a missing one, that of the innermost value that is there.
    let index: Int32
    /// The position of the key on the tape, or one of the two below.
    let keyIndex: Int32
    /// The key given or asked for, if it is not on the tape.
    private let ownKey: String
    /// Of a missing value, the array index asked for, or `noIndex` if a key was.
    private let askedIndex: Int32
    /// Of a missing value inside a missing one, the steps that led there.
    private let trail: JSONTrail?
    /// Whether there is a value; `null` is one.
    ///
    /// False only for what a subscript did not find and for ``missing``.
    public let isValid: Bool
    /// How strings are read as numbers and Booleans; inherited by everything inside.
    let rule: JSONCoercion

    /// The root, which has no key.
    private static let noKey: Int32 = -1
    /// The key is `ownKey`.
    private static let givenKey: Int32 = -2
    private static let noIndex = Int32.min

    /// An entity without a value, as a subscript gives it for what is not there.
    public static let missing = JSONEntity(.empty, 0, isValid: false)

    /// What a value made in code is that JSON cannot hold: too deep, too large, not a number; never valid.
    static let impossible = JSONEntity(.impossible, 0, isValid: false)
    /// Whether this is a value made in code that JSON cannot hold, or was asked of one.
    ///
    /// Such are arrays and objects deeper than ``JSONLimits/deepest``, values whose text is longer than
    /// ``JSONLimits/largest``, a literal that is infinite, and all that is made of one of them: they are not valid, but
    /// unlike what is missing they are not taken for `null` and not left out.
    public var isImpossible: Bool { document === JSONDocument.impossible }

    /// Creates the root of a document.
    init(_ document: JSONDocument, _ index: Int32 = 0, key: String? = nil, isValid: Bool = true) {
        (self.document, self.index, self.isValid) = (document, index, isValid)
        (keyIndex, ownKey) = (key == nil ? Self.noKey : Self.givenKey, key ?? "")
        (askedIndex, trail, rule) = (Self.noIndex, nil, .exact)
    }

    /// Creates a value inside `parent`.
    @inline(__always)
    init(in parent: JSONEntity, _ index: Int, keyIndex: Int32) {
        (document, self.index, self.keyIndex) = (parent.document, Int32(truncatingIfNeeded: index), keyIndex)
        ownKey = keyIndex == Self.givenKey ? parent.ownKey : ""
        (askedIndex, trail, isValid, rule) = (Self.noIndex, nil, true, parent.rule)
    }

    /// Creates a missing value inside `parent`.
    @inline(__always)
    private init(in parent: JSONEntity, missing key: String?, _ askedIndex: Int32) {
        (document, index, rule, isValid) = (parent.document, parent.index, parent.rule, false)
        if let key {
            (keyIndex, ownKey, self.askedIndex) = (Self.givenKey, key, Self.noIndex)
        } else {
            (keyIndex, ownKey, self.askedIndex) = (parent.keyIndex, parent.ownKey, askedIndex)
        }
        trail = parent.isValid ? nil : JSONTrail.adding(parent.step, to: parent.trail)
    }

    private init(_ other: JSONEntity, rule: JSONCoercion) {
        (document, index, keyIndex, ownKey) = (other.document, other.index, other.keyIndex, other.ownKey)
        (askedIndex, trail, isValid) = (other.askedIndex, other.trail, other.isValid)
        self.rule = rule
    }

    // MARK: Looking inside

    /// The member of an object; missing if there is none or this is not an object.
    ///
    /// Never nil, never traps. Keys are compared scalar by scalar, without Unicode normalization. Of keys that appear twice the last wins.
    /// A missing key costs no allocation.
    ///
    /// - Complexity: O(*n*) in the number of members up to 32, O(1) beyond, after a first look of O(*n*).
    @inline(__always)
    public subscript(key: String) -> JSONEntity {
        guard isValid, kind == JSONTape.object, let found = document.find(key, in: Int(index)) else {
            return JSONEntity(in: self, missing: key, Self.noIndex)
        }
        return JSONEntity(in: self, found + 1, keyIndex: Int32(truncatingIfNeeded: found))
    }

    /// The element of an array; missing if the index is out of range or negative or this is no array.
    ///
    /// Never nil, never traps. The element's ``key`` is that of the array.
    ///
    /// - Complexity: O(`index`) in arrays of up to 32 elements, O(1) in larger ones, after a first look of O(*n*).
    public subscript(index: Int) -> JSONEntity {
        guard isValid, kind == JSONTape.array, let position = document.element(index, of: Int(self.index)) else {
            return JSONEntity(in: self, missing: nil, Swift.max(Int32(clamping: index), Self.noIndex + 1))
        }
        return JSONEntity(in: self, position, keyIndex: keyIndex)
    }

    // MARK: What it is

    @inline(__always)
    var word: JSONTape.Word { document.word(at: Int(index)) }
    @inline(__always)
    var kind: JSONTape.Word { JSONTape.kind(word) }

    /// The key of a member, or the one that was asked for; of an element, the key of its array; of the root, empty.
    public var key: String {
        switch keyIndex {
        case Self.noKey: ""
        case Self.givenKey: ownKey
        default: document.string(at: Int(keyIndex))
        }
    }

    /// Whether the value is `null`; a missing one is not.
    public var isNull: Bool { isValid && kind == JSONTape.null }
    /// Whether the value is an array.
    public var isArray: Bool { isValid && kind == JSONTape.array }
    /// Whether the value is an object.
    public var isObject: Bool { isValid && kind == JSONTape.object }

    /// The number of elements of an array or members of an object; 0 for everything else.
    ///
    /// - Complexity: O(1), but for a first look of O(*n*) at a container of more than 32.
    public var count: Int { isContainer ? document.count(of: Int(index)) : 0 }

    /// Whether there are no elements or members; true for everything that is not an array or object.
    public var isEmpty: Bool { !isContainer || JSONTape.size(word) == 0 }

    @inline(__always)
    var isContainer: Bool { isValid && JSONTape.isContainer(word) }

    /// The same value, read by another rule, as is everything inside it.
    ///
    /// - Parameter rule: How strings are read as numbers and Booleans.
    /// - Returns: The same value with the rule.
    public func coercing(_ rule: JSONCoercion) -> JSONEntity { JSONEntity(self, rule: rule) }

    // MARK: Where it is

    /// The place in the document, for messages: `$.users[3].name`.
    ///
    /// For a missing value, the place that was asked for. A key that is not a plain name stands in brackets and quotes.
    ///
    /// Of more than ``JSONLimits/deepest`` steps inside a missing value, the last are left out.
    ///
    /// - Complexity: O(*d* log *n*) at depth *d*, after a first look of O(*n*) at a container of more than 32.
    public var path: String {
        let base = document.path(to: Int(index))
        return isValid ? base : base + (trail?.path ?? "") + (trail?.isFull == true ? "" : step.text)
    }

    /// Of a missing value, the last step that led to it; none of a root.
    private var step: JSONTrail.Step {
        if askedIndex != Self.noIndex { return .index(askedIndex) }
        return keyIndex == Self.givenKey ? .key(ownKey) : .none
    }

    /// Where the value stands in the text: byte offset from 0, line and column (in bytes) from 1; nil if it is missing.
    ///
    /// - Complexity: O(log *n*) in the number of lines, after a first look of O(*n*) at the text.
    public var position: (offset: Int, line: Int, column: Int)? {
        guard isValid, document.textCount > 0 else { return nil }
        let offset = document.range(of: Int(index)).lowerBound
        let (line, column) = document.position(of: offset)
        return (offset, line, column)
    }
}

/// The steps from the innermost value that is there to one that is missing, but for the last.
///
/// Strings are made of it only when a path is asked for, so that a read that falls back costs the same everywhere in a
/// document. It ends at a depth that no document has, so that releasing it cannot exhaust the stack.
final class JSONTrail: Sendable {
    enum Step: Sendable {
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

    private let outer: JSONTrail?
    private let step: Step
    private let depth: Int

    private init(behind outer: JSONTrail?, _ step: Step) {
        (self.outer, self.step, depth) = (outer, step, (outer?.depth ?? 0) + 1)
    }

    /// The trail with one more step, or as it is if it is full.
    static func adding(_ step: Step, to trail: JSONTrail?) -> JSONTrail {
        if let trail, trail.isFull { return trail }
        return JSONTrail(behind: trail, step)
    }

    var isFull: Bool { depth >= JSONLimits.deepest }

    var path: String {
        var steps: [Step] = []
        var trail: JSONTrail? = self
        while let one = trail {
            steps.append(one.step)
            trail = one.outer
        }
        return steps.reversed().map(\.text).joined()
    }
}
