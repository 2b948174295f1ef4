#if canImport(SwiftUI)
    public import SwiftUI

    extension Color {
        /// Creates a color in the sRGB space.
        public init(_ color: RGBAColor) {
            self.init(
                .sRGB, red: Double(color.red), green: Double(color.green), blue: Double(color.blue),
                opacity: Double(color.alpha))
        }
    }
#endif
