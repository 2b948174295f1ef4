/// A key with its value and location.
public struct CustomizationEntry: Hashable, Sendable {
    /// The key.
    public var key: String
    /// The value.
    public var value: CustomizationValue
    /// The start of the key in its file.
    public var location: CustomizationLocation
    /// The text of the comment directly before the entry, without its delimiters, if there is one.
    public var comment: String?

    /// Creates an entry.
    public init(
        key: String, value: CustomizationValue, location: CustomizationLocation = .init(file: ""),
        comment: String? = nil
    ) {
        (self.key, self.value, self.location, self.comment) = (key, value, location, comment)
    }
}
