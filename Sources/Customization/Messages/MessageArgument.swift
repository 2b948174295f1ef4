/// `{name}`, `{name, number, percent}` or `{name, date, short}` in an ICU message.
final class MessageArgument: Sendable {
    /// The display of a value.
    enum Style: Equatable, Sendable {
        case plain
        case number(MessageNumberStyle)
        case date(MessageDateStyle)
    }

    /// The number of the argument, from 0.
    let index: Int
    let style: Style
    /// The argument as it is written.
    let text: String
    /// The offset in the message's UTF-8.
    let offset: Int

    init(index: Int, style: Style, text: String, offset: Int) {
        (self.index, self.style, self.text, self.offset) = (index, style, text, offset)
    }
}
