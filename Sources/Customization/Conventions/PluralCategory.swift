/// The grammatical form of a noun with a number, with the names of Unicode CLDR.
///
/// The names don't denote numbers: in Russian 21 is `one`, in Arabic 11 is `many`. See ``PluralRules``.
public enum PluralCategory: String, Hashable, Sendable, CaseIterable {
    /// The form for 0, in a few languages such as Arabic, Latvian and Welsh.
    case zero
    /// The singular, in most languages.
    case one
    /// The dual.
    case two
    /// The paucal, such as for 2 to 4 in Slavic languages.
    case few
    /// The form for many, and for fractions in some languages.
    case many
    /// The general form, which every language has.
    case other
}
