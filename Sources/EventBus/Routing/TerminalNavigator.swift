/// A navigator that writes each place as a line of text, for command lines and for apps without a user interface.
///
/// A place is a string here: the text to show.
public struct TerminalNavigator: Navigator {
    private let write: @Sendable (String) -> Void

    /// Creates a navigator.
    ///
    /// - Parameter write: Takes each line, without a line break; prints it to standard output by default.
    public init(write: @escaping @Sendable (String) -> Void = { print($0) }) { self.write = write }

    /// Writes the URL, an arrow and the place.
    public func show(_ place: String, for navigation: Navigation) async throws {
        write("\(navigation.url) -> \(place)")
    }
}
