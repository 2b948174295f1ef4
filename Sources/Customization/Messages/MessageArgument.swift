/// The place of an argument in braces, for messages about it.
struct MessagePlace: Sendable {
    /// The number of the argument, from 0.
    let index: Int
    /// The argument as it is written; for a choice, without its cases.
    let text: String
    /// The offset in the message's UTF-8.
    let offset: Int

    /// The place of `#`.
    static let number = MessagePlace(index: 0, text: "#", offset: 0)
}

/// `{name}`, `{name, number, percent}` or `{name, date, short}` in an ICU message.
final class MessageArgument: Sendable {
    enum Style: Equatable, Sendable {
        case plain
        case number(MessageNumberStyle)
        case date(MessageDateStyle)
    }

    let place: MessagePlace
    let style: Style

    init(_ place: MessagePlace, style: Style) { (self.place, self.style) = (place, style) }
}
