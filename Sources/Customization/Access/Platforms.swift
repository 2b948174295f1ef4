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

#if canImport(Darwin)
    public import Foundation

    extension Customization {
        /// Reads the `.lproj` folders of a bundle, with the brand of its Info.plist.
        ///
        /// - Parameters:
        ///   - bundle: The bundle.
        ///   - base: The base language, in which every text exists.
        ///   - languages: The user's languages, the preferred one first; the system's if nil.
        ///   - policy: The rules for reading files, and the result of reads without a value.
        public init(
            bundle: Bundle, base: LanguageTag = "en", languages: [LanguageTag]? = nil,
            policy: CustomizationPolicy = .init()
        ) {
            let name = bundle.object(forInfoDictionaryKey: "FTCustomizationString") as? String
            self.init(
                path: bundle.resourcePath ?? bundle.bundlePath, base: base, languages: languages,
                brand: name.map { .named($0) } ?? .fromInfoPlist, policy: policy)
        }
    }
#endif
