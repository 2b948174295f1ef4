#if canImport(CoreText)
    public import CoreText

    extension FontSpec {
        /// The font of Core Text; an unknown face is replaced by Arial.
        public var ctFont: CTFont {
            let font = CTFontCreateWithName(name as CFString, CGFloat(size), nil)
            let family = CTFontCopyPostScriptName(font) as String
            return family == name || name == Self.defaultName
                ? font : CTFontCreateWithName(Self.defaultName as CFString, CGFloat(size), nil)
        }
    }
#endif

#if canImport(UIKit)
    public import UIKit

    extension FontSpec {
        /// The font of UIKit; an unknown face is replaced by Arial, or by the system font if Arial isn't available.
        public var uiFont: UIFont {
            let size = CGFloat(size)
            return UIFont(name: name, size: size) ?? UIFont(name: Self.defaultName, size: size)
                ?? .systemFont(ofSize: size)
        }
    }
#elseif canImport(AppKit)
    public import AppKit

    extension FontSpec {
        /// The font of AppKit; an unknown face is replaced by Arial, or by the system font if Arial isn't available.
        public var nsFont: NSFont {
            let size = CGFloat(size)
            return NSFont(name: name, size: size) ?? NSFont(name: Self.defaultName, size: size)
                ?? .systemFont(ofSize: size)
        }
    }
#endif
