// An unknown face is replaced by Arial, as in iStructure.

#if canImport(CoreText)
    public import CoreText

    extension FontSpec {
        /// The font of Core Text; an unknown face is replaced by Arial.
        public var ctFont: CTFont {
            let arial = { CTFontCreateWithName("Arial" as CFString, CGFloat(size), nil) }
            guard let name else { return CTFontCreateUIFontForLanguage(.system, CGFloat(size), nil) ?? arial() }
            let font = CTFontCreateWithName(name as CFString, CGFloat(size), nil)
            return CTFontCopyPostScriptName(font) as String == name ? font : arial()
        }
    }
#endif

#if canImport(UIKit)
    public import UIKit

    extension FontSpec {
        /// The font of UIKit; an unknown face is replaced by Arial, or by the system font if Arial isn't available.
        public var uiFont: UIFont {
            let size = CGFloat(size)
            guard let name else { return .systemFont(ofSize: size) }
            return UIFont(name: name, size: size) ?? UIFont(name: "Arial", size: size) ?? .systemFont(ofSize: size)
        }
    }
#elseif canImport(AppKit)
    public import AppKit

    extension FontSpec {
        /// The font of AppKit; an unknown face is replaced by Arial, or by the system font if Arial isn't available.
        public var nsFont: NSFont {
            let size = CGFloat(size)
            guard let name else { return .systemFont(ofSize: size) }
            return NSFont(name: name, size: size) ?? NSFont(name: "Arial", size: size) ?? .systemFont(ofSize: size)
        }
    }
#endif
