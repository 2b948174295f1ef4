/// A font by name and size, as configuration files describe it.
///
/// The library names fonts and does not load them: on Apple systems `FontSpec` has properties for the fonts of UIKit, AppKit
/// and Core Text, elsewhere the name and size are for whatever draws the text.
public struct FontSpec: Hashable, Sendable {
    /// The name of the face, such as `Helvetica-Bold`.
    public var name: String
    /// The size in points.
    public var size: Double

    /// The name of a font that says none.
    public static let defaultName: String = "Arial"
    /// The size of a font that says none.
    public static let defaultSize: Double = 12

    /// Creates a description of a font.
    public init(name: String = FontSpec.defaultName, size: Double = FontSpec.defaultSize) {
        self.name = name
        self.size = size
    }
}

extension ApplicationConfig {
    /// The font that `font.<name>.name` and `font.<name>.size` describe, as literal root keys or as a path.
    ///
    /// A missing or malformed part is Arial or 12 points, as in the original, whose fonts were all Arial by mistake.
    public func font(named name: String) -> FontSpec {
        FontSpec(
            name: string(forKey: "font.\(name).name", default: FontSpec.defaultName),
            size: double(forKey: "font.\(name).size", default: FontSpec.defaultSize))
    }

    /// The class whose name is the value of a key, such as `MyModule.HomeController`.
    ///
    /// A Swift class is named with its module; on Apple systems also a class of Objective-C by its plain name. Private and
    /// generic classes are not found. Names from files that others write can name any class of the program: compare the
    /// result with the classes you expect.
    public func type(forKey key: String) -> AnyClass? {
        string(forKey: key).flatMap { ConfigTypes.named($0) }
    }

    /// The class whose name is the value of a key, or a default if the value is missing or names none.
    public func type(forKey key: String, default value: @autoclosure () -> AnyClass) -> AnyClass {
        type(forKey: key) ?? value()
    }
}
