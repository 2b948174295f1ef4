/// The line of a call, as its default arguments give it.
///
/// The text of the location is created only when it is read.
struct CallSite: Sendable {
    let fileID: StaticString
    let line: UInt32
    let column: UInt32

    init(_ fileID: StaticString, _ line: UInt32, _ column: UInt32) {
        (self.fileID, self.line, self.column) = (fileID, line, column)
    }

    var location: EventLocation { EventLocation(fileID, line, column) }
}
