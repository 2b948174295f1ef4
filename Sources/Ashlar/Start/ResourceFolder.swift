public import Foundation

/// The folder of an app's files, and how it was found.
///
/// Without a folder, an app looks for one with its files in these places:
///
/// 1. in the main bundle,
/// 2. in the resource bundles that SwiftPM places next to the executable or in the main bundle (`Bundle.module`), that of
///    the executable's module first,
/// 3. in `Resources` next to the executable, and next to the executable itself,
/// 4. in `Resources` in the working directory, and in the working directory itself.
///
/// A folder with a configuration file, a host map or a flavor file is better than one with `.lproj` folders only, and a
/// bundle of another module, such as a dependency's, is worse than another folder with the same kind of files. Of equally good
/// folders the first is used, and the start records an issue.
public struct ResourceFolder: Hashable, Sendable, CustomStringConvertible {
    /// A folder that was examined.
    struct Place: Hashable, Sendable {
        let path: String
        let origin: String
        /// Whether it is the bundle of another module than the executable's.
        var isOtherModule = false
        /// The kinds of the app's files in the folder, such as `configuration`.
        var contents: [String] = []

        /// How likely the folder is the app's; 0 without files.
        var rank: Int {
            if contents.isEmpty { return 0 }
            return (contents == [ResourceFolder.languages] ? 1 : 3) + (isOtherModule ? 0 : 1)
        }

        var description: String {
            contents.isEmpty ? "not in \(path)" : "\(path) (\(origin)): \(contents.joined(separator: ", "))"
        }
    }

    /// The path of the folder.
    public let path: String
    /// How the folder was found, such as `the main bundle`.
    let origin: String
    /// All folders that were examined, in order.
    let examined: [Place]

    /// Creates the folder at a path.
    public init(_ path: String) { self.init(path, "set by the app", []) }

    private init(_ path: String, _ origin: String, _ examined: [Place]) {
        self.path = path
        self.origin = origin
        self.examined = examined
    }

    /// Creates the folder of a bundle's resources, or its subfolder `Resources` if only that contains an app's files.
    public init(_ bundle: Bundle) {
        let path = bundle.resourcePath ?? bundle.bundlePath
        let inner = path + "/Resources"
        self.init(
            Self.contents(of: path).isEmpty && !Self.contents(of: inner).isEmpty ? inner : path,
            "the bundle \(bundle.bundleURL.lastPathComponent)", [])
    }

    /// Whether the folder was given or found; if false, no examined folder contains an app's files.
    var isFound: Bool { examined.isEmpty || examined.contains { $0.rank > 0 } }

    /// The folders that are as good as this one, which comes first.
    var equallyGood: [Place] {
        let best = examined.map(\.rank).max() ?? 0
        return best == 0 ? [] : examined.filter { $0.rank == best && $0.path != path }
    }

    /// Finds the folder of this process.
    static func find() -> ResourceFolder {
        let executable = Bundle.main.executablePath.map { URL(fileURLWithPath: $0) }
        return find(
            mainBundle: Bundle.main.resourcePath, executable: executable?.deletingLastPathComponent().path,
            name: executable?.lastPathComponent ?? "", working: FileManager.default.currentDirectoryPath)
    }

    /// Finds the best folder with an app's files; returns `Resources` of the working directory if there is none.
    ///
    /// - Parameters:
    ///   - mainBundle: The folder of the main bundle's resources.
    ///   - executable: The folder of the executable.
    ///   - name: The name of the executable, which is that of its module.
    ///   - working: The working directory.
    /// - Returns: The folder, with all folders that were examined.
    static func find(mainBundle: String?, executable: String?, name: String, working: String) -> ResourceFolder {
        var places: [Place] = []
        if let mainBundle { places.append(Place(path: mainBundle, origin: "the main bundle")) }
        for folder in [mainBundle, executable].compactMap({ $0 }) {
            places += moduleBundles(in: folder, executable: name)
        }
        for folder in [executable].compactMap({ $0 }) {
            places += ["\(folder)/Resources", folder].map { Place(path: $0, origin: "next to the executable") }
        }
        places += ["\(working)/Resources", working].map { Place(path: $0, origin: "the working directory") }
        var examined: [Place] = []
        var known: Set<String> = []
        for var place in places
        where known.insert(URL(fileURLWithPath: place.path).resolvingSymlinksInPath().path).inserted {
            place.contents = contents(of: place.path)
            examined.append(place)
        }
        let rank = examined.map(\.rank).max() ?? 0
        guard rank > 0, let best = examined.first(where: { $0.rank == rank }) else {
            return ResourceFolder(working + "/Resources", "the working directory", examined)
        }
        return ResourceFolder(best.path, best.origin, examined)
    }

    private static func moduleBundles(in folder: String, executable: String) -> [Place] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let bundles = names.filter { $0.hasSuffix(".resources") || $0.hasSuffix(".bundle") }.sorted().map { name in
            let path = "\(folder)/\(name)"
            return Place(
                path: Bundle(path: path)?.resourcePath ?? path, origin: "the module bundle \(name)",
                isOtherModule: !name.prefix { $0 != "." }.hasSuffix("_" + executable))
        }
        return (bundles.filter { !$0.isOtherModule } + bundles.filter(\.isOtherModule)).flatMap { bundle in
            [
                bundle,
                Place(path: bundle.path + "/Resources", origin: bundle.origin, isOtherModule: bundle.isOtherModule),
            ]
        }
    }

    private static let languages = "languages"

    private static func contents(of folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        var contents: [String] = []
        if names.contains(where: { $0.hasPrefix("ApplicationConfig.") }) { contents.append("configuration") }
        if names.contains("HostMap.json") { contents.append("host map") }
        if names.contains(where: { $0.hasPrefix("Flavors.") }) { contents.append("flavors") }
        if names.contains(where: { $0.hasSuffix(".lproj") }) { contents.append(languages) }
        return contents
    }

    /// The path and how it was found.
    public var description: String {
        isFound
            ? "\(path) (\(origin))"
            : "no folder with an app's files in " + examined.map(\.path).joined(separator: ", ")
    }
}
