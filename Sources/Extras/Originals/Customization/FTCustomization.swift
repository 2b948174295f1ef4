// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import AshlarCustomization
import Foundation

#if canImport(UIKit) && !os(watchOS)
    public import UIKit
#endif

/// FTCustomization: the customization of `CustomizationCenter.shared`, by a sequence of `.lproj` folders.
///
/// Numbers and booleans are read as by `NSString`. A value that is missing or malformed is in
/// `CustomizationCenter.shared.current.problems`.
public enum FTCustomization {
    /// Establishes the sequence `lang.lproj`, device language, folder of `FTCustomizationString` in Info.plist.
    ///
    /// The folders are in `path`, by default in the main bundle, or next to the executable on Linux. The device's
    /// languages are the system's by default. A text that isn't a language is logged, and changes nothing.
    public static func FTinitializeCustomization(
        _ lang: String = "en", path: String? = nil, languages: [LanguageTag]? = nil
    ) {
        guard let base = tag(lang) else { return }
        let policy = CustomizationPolicy(numbers: .nsstring)
        CustomizationCenter.shared.update { old in
            var brand = CustomizationBrand.fromInfoPlist
            if path == nil, let name = Bundle.main.object(forInfoDictionaryKey: "FTCustomizationString") as? String {
                brand = .named(name)
            }
            return Customization(
                path: path ?? ResourceFile.folder, base: base, languages: languages, brand: brand, themes: old.themes,
                theme: old.theme, policy: policy)
        }
    }

    /// Replaces the device language, the second one of the sequence; nil restores it, and any other text is logged.
    public static func FToverrideCustomization(_ lang: String?) {
        let language = lang.flatMap { tag($0) }
        if lang == nil || language != nil {
            CustomizationCenter.shared.update { $0.switching(language: language) }
        }
    }

    /// Returns the language of the device, such as `fr`; see `Customization.deviceLanguage`.
    public static func FTdeviceLanguage() -> String { current.deviceLanguage.description }
    /// Returns the base language, normally `en`; see `Customization.baseLanguage`.
    public static func FTdefaultLanguage() -> String { current.baseLanguage.description }
    /// Returns the language that replaces the device's, or nil; see `Customization.overrideLanguage`.
    public static func FToverrideLanguage() -> String? { current.overrideLanguage?.description }

    fileprivate static var current: Customization { CustomizationCenter.shared.current }

    private static func tag(_ lang: String) -> LanguageTag? {
        let tag = LanguageTag(lang)
        if tag == nil { ResourceFile.report("\"\(lang)\" isn't a language", in: "FTCustomization") }
        return tag
    }
}

/// Returns the text of a key, or the key itself if no folder defines it; see `Customization.string(_:table:)`.
public func FTCustomString(_ str: String) -> String { FTCustomization.current.string(str) }
/// Returns the integer of a key, or 0; see `Customization.int(_:default:table:)`.
public func FTCustomInt(_ str: String) -> Int { FTCustomization.current.int(str) }
/// Returns the number of a key, or 0; see `Customization.double(_:default:table:)`.
public func FTCustomFloat(_ str: String) -> Float { Float(FTCustomization.current.double(str)) }
/// Returns the boolean of a key, or false; see `Customization.bool(_:default:table:)`.
public func FTCustomBool(_ str: String) -> Bool { FTCustomization.current.bool(str) }

#if canImport(UIKit) && !os(watchOS)
    /// Returns the color of a key, or black; see `Customization.color(_:default:table:)`.
    public func FTCustomColor(_ str: String) -> UIColor { UIColor(FTCustomization.current.color(str)) }
    /// Returns the image of a key, or nil; see `Customization.image(_:scale:idiom:table:)`.
    public func FTCustomImage(_ img: String) -> UIImage? {
        FTCustomization.current.image(img).flatMap { UIImage($0) }
    }
#else
    /// Returns the color of a key, or black; see `Customization.color(_:default:table:)`.
    public func FTCustomColor(_ str: String) -> RGBAColor { FTCustomization.current.color(str) }
    /// Returns the image of a key, or nil; see `Customization.image(_:scale:idiom:table:)`.
    public func FTCustomImage(_ img: String) -> ImageReference? { FTCustomization.current.image(img) }
#endif
