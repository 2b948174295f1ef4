// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

@_exported import ObjectiveC

@frozen public struct ObjCBool: ExpressibleByBooleanLiteral, Sendable {
    var _value: Bool
    public init(_ value: Bool) { _value = value }
    public var boolValue: Bool { _value }
    public init(booleanLiteral value: Bool) { _value = value }
}
public func _convertBoolToObjCBool(_ x: Bool) -> ObjCBool { ObjCBool(x) }
public func _convertObjCBoolToBool(_ x: ObjCBool) -> Bool { x.boolValue }
@frozen public struct Selector: Hashable, ExpressibleByStringLiteral, @unchecked Sendable {
    var ptr: OpaquePointer
    public init(_ str: String) { fatalError() }
    public init(stringLiteral value: String) { fatalError() }
}
@frozen public struct NSZone { var pointer: OpaquePointer }
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
extension NSObject: Equatable, Hashable {
    public static func == (a: NSObject, b: NSObject) -> Bool { a === b }
    @nonobjc public func hash(into hasher: inout Hasher) {}
}
extension NSObject: CVarArg { public var _cVarArgEncoding: [Int] { [] } }
