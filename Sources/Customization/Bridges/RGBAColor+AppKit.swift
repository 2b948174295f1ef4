#if canImport(AppKit) && !targetEnvironment(macCatalyst)
    public import AppKit

    extension NSColor {
        /// Creates a color in the sRGB space.
        public convenience init(_ color: RGBAColor) {
            self.init(
                srgbRed: CGFloat(color.red), green: CGFloat(color.green), blue: CGFloat(color.blue),
                alpha: CGFloat(color.alpha))
        }
    }

    extension NSImage {
        /// Loads the image of a reference; returns nil if the file isn't an image.
        public convenience init?(_ reference: ImageReference) { self.init(contentsOfFile: reference.path) }
    }
#endif
