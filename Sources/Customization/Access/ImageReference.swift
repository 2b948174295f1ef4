/// An image found through the layers: its file and scale.
///
/// The app decodes the image.
public struct ImageReference: Hashable, Sendable {
    /// The path of the file.
    public var path: String
    /// The scale in the file's name: 3 for `logo@3x.png`, 1 if there is none.
    public var scale: Int
    /// The identifier of the layer whose folder contains the file; `.` for the tree's own folder.
    package var layer: String
}

extension Customization {
    package static var imageExtensions: [String] { ImageName.extensions }

    /// Returns the image of a key from the folder of the highest layer that contains the file.
    ///
    /// The key's value is the name of the file. If no layer defines the key, the key itself is the name. In each
    /// folder, a file with the device's modifier takes precedence over one without, the given scale over larger scales,
    /// and these over smaller scales. For a name without an extension, `png`, `jpg`, `jpeg`, `heic`, `webp`, `gif`,
    /// `pdf` and `svg` are tried. The tree's own folder is searched last.
    ///
    /// - Parameters:
    ///   - key: The key, or the file's name.
    ///   - scale: The scale of the screen.
    ///   - idiom: The device's modifier, such as `ipad` for `logo~ipad.png`.
    ///   - table: The table's name; `Localizable` if nil.
    /// - Returns: The image; nil if no folder contains it, which is reported in ``problems``.
    /// - Complexity: O(*layers*) in memory; no file is read.
    public func image(
        _ key: String, scale: Int = 1, idiom: String? = nil, table: String? = nil
    ) -> ImageReference? {
        var name = key
        var location: CustomizationLocation?
        do throws(CustomizationError) {
            let (composed, _, target) = try find(key, table: table)
            location = composed.location(of: target)
            let value = composed.value(of: target)
            guard let text = value.text else {
                throw CustomizationError(
                    .malformed, key: key, table: table, expected: "name of an image", found: value, location: location)
            }
            name = text
        } catch {
            if error.code != .missing || !error.aliases.isEmpty {
                report(error.diagnostic)
                return nil
            }
        }
        if let image = find(ImageName(name, idiom: idiom), scale: max(scale, 1)) { return image }
        report(
            CustomizationError(
                .missingImage, key: key, table: table, expected: "image",
                found: .string(name), location: location
            ).diagnostic)
        return nil
    }

    func find(_ name: ImageName, scale: Int) -> ImageReference? {
        for layer in layers.reversed() {
            guard let folder = layer.folder, let found = name.first(among: layer.files, scale: scale) else { continue }
            return ImageReference(path: folder + "/" + found.file, scale: found.scale, layer: layer.id)
        }
        guard let tree = storage.tree, let found = name.first(among: tree.rootFiles, scale: scale) else { return nil }
        return ImageReference(path: tree.path + "/" + found.file, scale: found.scale, layer: ".")
    }
}

/// The possible file names of an image.
struct ImageName {
    static let extensions = ["png", "jpg", "jpeg", "heic", "webp", "gif", "pdf", "svg"]
    private let stem: String
    private let extensions: [String]
    private let idioms: [String]

    init(_ name: String, idiom: String?) {
        idioms = (idiom.map { ["~" + $0] } ?? []) + [""]
        if let dot = name.lastIndex(of: "."), dot != name.startIndex,
            Self.extensions.contains(name[name.index(after: dot)...].lowercased())
        {
            stem = String(name[..<dot])
            extensions = [String(name[name.index(after: dot)...])]
        } else {
            stem = name
            extensions = Self.extensions
        }
    }

    /// Returns the best file: with a modifier before without, the given scale before larger and then smaller scales.
    func first(among files: Set<String>, scale: Int) -> (file: String, scale: Int)? {
        let scales = Array(scale...max(scale, 3)) + stride(from: scale - 1, through: 1, by: -1)
        for idiom in idioms {
            for scale in scales {
                for suffix in extensions {
                    let file = stem + (scale == 1 ? "" : "@\(scale)x") + idiom + "." + suffix
                    if files.contains(file) { return (file, scale) }
                }
            }
        }
        return nil
    }
}
