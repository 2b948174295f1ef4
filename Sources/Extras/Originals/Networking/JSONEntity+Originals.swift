internal import AshlarCustomization
public import AshlarNetworking
public import Foundation

// SquidKit's initializers that don't throw: an entity that can't be created isn't valid, and the error is logged.
extension JSONEntity {
    /// Reads a JSON resource, or a file with an absolute path; see `JSONEntity(contentsOfFile:)`.
    public init(resourceFilename: String) {
        let path = ResourceFile.path(resourceFilename)
        self = ResourceFile.attempt(in: "JSONEntity") { try JSONEntity(contentsOfFile: path) } ?? .missing
    }

    /// Creates an object from Foundation's dictionary; see `JSONEntity(jsonDictionary:)` for a Swift dictionary.
    public init(jsonDictionary: NSDictionary) {
        let object = jsonDictionary as? [String: Any] ?? [:]
        self = ResourceFile.attempt(in: "JSONEntity") { try JSONEntity(jsonDictionary: object) } ?? .missing
    }

    /// Creates an object from Foundation's dictionary.
    public init(_ jsonDictionary: NSDictionary) { self.init(jsonDictionary: jsonDictionary) }
}

/// SquidKit's rule for strings that are read as numbers and Booleans, which is that of `NSString`.
///
/// It uses the longest valid prefix of a string, or 0 or false if there is none: `"12abc"` is 12 and `"abc"` is 0,
/// where `int()`, `double()` and `bool()` return nil. Other values are read in the same way by both.
extension JSONEntity {
    /// Returns the integer, or nil if the value is missing, `null`, a container or a number that isn't an integer.
    public func squidKitInt() -> Int? { string().map { Int(clamping: NumberReading.nsInteger($0)) } ?? int() }

    /// Returns the double, or nil if the value is missing, `null` or a container.
    public func squidKitDouble() -> Double? { string().map(NumberReading.nsDouble) ?? double() }

    /// Returns the Boolean; a string is true if it starts with Y, y, T, t or a digit from 1 to 9.
    public func squidKitBool() -> Bool? { string().map(NumberReading.nsBool) ?? bool() }
}
