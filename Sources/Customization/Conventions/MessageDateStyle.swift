/// The form in which a date or a time is displayed.
public enum MessageDateStyle: Hashable, Sendable {
    /// How much of a date or time is displayed; the notation is that of the language.
    public enum Length: String, Hashable, Sendable {
        /// The shortest form: `22/11/2026`, `09:50`.
        case short
        /// An abbreviated form: `22 Nov 2026`, `09:50:11`.
        case medium
        /// A form in words: `22 November 2026`, `09:50:11 GMT`.
        case long
        /// The complete form: `Sunday 22 November 2026`.
        case full
    }

    /// A date and a time of certain lengths; nil omits one of them.
    case lengths(date: Length?, time: Length?)
    /// Fields in the order of the language, such as `yMMMd`; the letters are those of UTS #35.
    case skeleton(String)
    /// A fixed pattern, such as `yyyy-MM-dd`; the letters are those of UTS #35.
    case pattern(String)
}
