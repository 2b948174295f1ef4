// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

public struct CGFloat: Sendable, Hashable {
    public var native: Double
    public init(_ x: Double) { native = x }
    public init(_ x: Float) { native = Double(x) }
    public init<T: BinaryInteger>(_ x: T) { native = Double(x) }
}
extension CGFloat: ExpressibleByIntegerLiteral { public init(integerLiteral value: Int) { self.init(value) } }
public struct CGRect: Sendable, Equatable {
    public static let zero: CGRect = CGRect()
    public init() {}
}
