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
