/// The name and size of a font.
///
/// The libraries don't load fonts. On Apple systems, AshlarAppConfig adds properties for the fonts of UIKit, AppKit and
/// Core Text, and the umbrella adds one for SwiftUI.
public struct FontSpec: Hashable, Sendable {
    // Public because AppConfig and Customization export this one type; two modules of an app read fonts.

    /// The name of the face, such as `Helvetica-Bold`; nil for the system's font.
    public var name: String?
    /// The size in points.
    public var size: Double

    /// Creates a description of a font.
    ///
    /// - Parameters:
    ///   - name: The name of the face; nil for the system's font.
    ///   - size: The size in points.
    public init(name: String? = nil, size: Double) {
        self.name = name
        self.size = size
    }
}
