extension LogFieldValue: LogFieldConvertible {
    /// The value itself.
    public var logFieldValue: LogFieldValue { self }
}

extension String: LogFieldConvertible {
    /// The string as a field.
    public var logFieldValue: LogFieldValue { .string(self) }
}

extension Substring: LogFieldConvertible {
    /// The string as a field.
    public var logFieldValue: LogFieldValue { .string(String(self)) }
}

extension Bool: LogFieldConvertible {
    /// The boolean as a field.
    public var logFieldValue: LogFieldValue { .boolean(self) }
}

extension Double: LogFieldConvertible {
    /// The number as a field.
    public var logFieldValue: LogFieldValue { .float(self) }
}

extension Float: LogFieldConvertible {
    /// The number as a field.
    public var logFieldValue: LogFieldValue { .float(Double(self)) }
}

extension LogFieldConvertible where Self: FixedWidthInteger {
    /// The number as a field.
    public var logFieldValue: LogFieldValue {
        if let small = Int64(exactly: self) { return .integer(small) }
        if let large = UInt64(exactly: self) { return .unsigned(large) }
        return .string(String(self))
    }
}

extension Int: LogFieldConvertible {}
extension Int8: LogFieldConvertible {}
extension Int16: LogFieldConvertible {}
extension Int32: LogFieldConvertible {}
extension Int64: LogFieldConvertible {}
extension UInt: LogFieldConvertible {}
extension UInt8: LogFieldConvertible {}
extension UInt16: LogFieldConvertible {}
extension UInt32: LogFieldConvertible {}
extension UInt64: LogFieldConvertible {}

extension Duration: LogFieldConvertible {
    /// The duration as text, in the largest unit in which it is at least one: `1.500ms`.
    public var logFieldValue: LogFieldValue { .string(LogTime.text(of: self)) }
}

extension Optional: LogFieldConvertible where Wrapped: LogFieldConvertible {
    /// The wrapped value as a field, or none.
    public var logFieldValue: LogFieldValue { self?.logFieldValue ?? LogFieldValue.none }
}

extension LogTime: LogFieldConvertible {
    /// The time as a field.
    public var logFieldValue: LogFieldValue { .time(self) }
}

extension LogFields: LogFieldConvertible {
    /// The pairs as an object.
    public var logFieldValue: LogFieldValue { .object(self) }
}

extension Array: LogFieldConvertible where Element: LogFieldConvertible {
    /// The elements as a list.
    public var logFieldValue: LogFieldValue { .array(map(\.logFieldValue)) }
}

extension Dictionary: LogFieldConvertible where Key == String, Value: LogFieldConvertible {
    /// The pairs as an object, sorted by key.
    public var logFieldValue: LogFieldValue {
        .object(LogFields(sorted { $0.key < $1.key }.map { LogFields.Element($0.key, $0.value) }))
    }
}
