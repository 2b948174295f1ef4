/// Fields that a logger adds to each of its lines, with their text for patterns.
///
/// The text is made once, because printing a field costs a good part of a line. See the benchmark row "a bound field".
final class BoundFields: Sendable {
    let fields: LogFields
    /// ` key=value` for each field, if that is short.
    private let printed: LogMessage?
    private static let longest = 1000

    init(_ fields: LogFields) {
        self.fields = fields
        printed = ByteBuffer.temporary { buffer in
            let isCut = LogfmtWriter.append(fields, to: buffer, end: Self.longest, reserve: 64)
            return isCut ? nil : LogMessage(buffer.string)
        }
    }

    /// The text of the fields, valid as long as this object; nil if there is none.
    var text: LogText? { printed?.text }
}
