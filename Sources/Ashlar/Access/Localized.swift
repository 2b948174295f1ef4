import AshlarCustomization

/// A string of the current app's customization, read at each access.
///
/// ```swift
/// struct Buttons {
///     @Localized("cancel") var cancel
/// }
/// ```
///
/// The value is the key if the string is absent or no app has been started.
@propertyWrapper
public struct Localized: Sendable {
    private let key: String
    private let table: String?

    /// Creates a string with its key, in one table or in all tables.
    public init(_ key: String, table: String? = nil) { (self.key, self.table) = (key, table) }

    /// The string in the current language and brand.
    public var wrappedValue: String { AshlarApp.current?.customization.current.string(key, table: table) ?? key }
}
