/// The grammatical form that a number takes, by the names of Unicode CLDR.
///
/// The names say little about numbers: in Russian 21 is `one`, in Arabic 11 is `many`. ``PluralRules`` knows.
public enum PluralCategory: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The form for 0, in the few languages that have one (Arabic, Latvian, Welsh).
    case zero
    /// The singular, in most languages.
    case one
    /// The dual.
    case two
    /// The paucal, as Slavic languages have for 2 to 4.
    case few
    /// The form for many, and for fractions in some languages.
    case many
    /// The general form, which every language has.
    case other

    /// The name, such as `"few"`.
    public var description: String { rawValue }
}
