// The one public declaration of the core that this module exports: apps read fonts from themes, too.
@_exported public import struct AshlarCore.FontSpec

#if canImport(Darwin)
    import Foundation
#endif

extension ApplicationConfig {
    /// Returns the font of `font.<name>.name` and `font.<name>.size`, as literal root keys or as paths.
    ///
    /// A missing or malformed name is Arial, and a missing or malformed size is 12 points.
    public func font(named name: String) -> FontSpec {
        FontSpec(name: string(forKey: "font.\(name).name") ?? "Arial", size: double(forKey: "font.\(name).size") ?? 12)
    }

    /// Returns the class whose name is the value of a key, such as `MyModule.HomeController`.
    ///
    /// The name of a Swift class includes its module. On Apple systems, a class of Objective-C is also found by its
    /// plain name. Private and generic classes aren't found. If others can write the file, a name can refer to any
    /// class of the program, so compare the result with the classes you expect.
    public func type(forKey key: String) -> AnyClass? {
        string(forKey: key).flatMap { ConfigTypes.named($0) }
    }
}

/// Finds classes by name.
enum ConfigTypes {
    static func named(_ name: String) -> AnyClass? {
        #if canImport(Darwin)
            return NSClassFromString(name)
        #else
            // `Module.Outer.Inner` is mangled as the length and text of each part; the kind of a type follows its name.
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count >= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { $0 < 128 } }) else {
                return nil
            }
            var candidates = ["\(parts[0].utf8.count)\(parts[0])"]
            for (depth, part) in parts.enumerated().dropFirst() where candidates.count < 1000 {
                // A class can be nested in a class, a structure, or an enumeration.
                let kinds = depth == parts.count - 1 ? ["C"] : ["C", "V", "O"]
                candidates = candidates.flatMap { outer in kinds.map { "\(outer)\(part.utf8.count)\(part)\($0)" } }
            }
            return candidates.lazy.compactMap { _typeByName($0) as? AnyClass }.first
        #endif
    }
}

// In the fonts of systems, an unknown face is replaced by Arial, as in iStructure.

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
