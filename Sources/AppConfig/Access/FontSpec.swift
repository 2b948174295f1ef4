/// A font name and size, as in configuration files.
///
/// The library doesn't load fonts. On Apple systems, `FontSpec` has properties for the fonts of UIKit, AppKit and Core
/// Text.
public struct FontSpec: Hashable, Sendable {
    /// The name of the face, such as `Helvetica-Bold`.
    public var name: String
    /// The size in points.
    public var size: Double

    /// The name of a font without a name.
    public static let defaultName: String = "Arial"
    /// The size of a font without a size.
    public static let defaultSize: Double = 12

    /// Creates a description of a font.
    public init(name: String = FontSpec.defaultName, size: Double = FontSpec.defaultSize) {
        self.name = name
        self.size = size
    }
}

extension ApplicationConfig {
    /// Returns the font of `font.<name>.name` and `font.<name>.size`, as literal root keys or as paths.
    ///
    /// A missing or malformed name is Arial, and a missing or malformed size is 12 points.
    public func font(named name: String) -> FontSpec {
        FontSpec(
            name: string(forKey: "font.\(name).name", default: FontSpec.defaultName),
            size: double(forKey: "font.\(name).size", default: FontSpec.defaultSize))
    }

    /// Returns the class whose name is the value of a key, such as `MyModule.HomeController`.
    ///
    /// The name of a Swift class includes its module. On Apple systems, a class of Objective-C is also found by its
    /// plain name. Private and generic classes aren't found. If others can write the file, a name can refer to any
    /// class of the program, so compare the result with the classes you expect.
    public func type(forKey key: String) -> AnyClass? {
        string(forKey: key).flatMap { ConfigTypes.named($0) }
    }

    /// Returns the class whose name is the value of a key, or a default if the value is missing or not the name of a
    /// class.
    public func type(forKey key: String, default value: @autoclosure () -> AnyClass) -> AnyClass {
        type(forKey: key) ?? value()
    }
}
