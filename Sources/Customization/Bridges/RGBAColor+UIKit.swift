#if canImport(UIKit) && !os(watchOS)
    public import UIKit

    extension UIColor {
        /// Creates a color in the extended sRGB space.
        public convenience init(_ color: RGBAColor) {
            self.init(
                red: CGFloat(color.red), green: CGFloat(color.green), blue: CGFloat(color.blue),
                alpha: CGFloat(color.alpha))
        }
    }

    extension UIImage {
        /// Loads the image of a reference at its scale; returns nil if the file isn't an image.
        public convenience init?(_ reference: ImageReference) {
            guard let data = FileManager.default.contents(atPath: reference.path) else { return nil }
            self.init(data: data, scale: CGFloat(reference.scale))
        }
    }
#endif
