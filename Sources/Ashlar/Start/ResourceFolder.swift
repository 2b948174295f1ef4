public import Foundation

/// The folder of an app's files, and how it was found.
///
/// Without a folder, an app looks for one with a configuration file, a host map, a flavor file or an `.lproj` folder:
///
/// 1. in the main bundle,
/// 2. in the resource bundles that SwiftPM places next to the executable or in the main bundle (`Bundle.module`),
/// 3. in `Resources` next to the executable, and next to the executable itself,
/// 4. in `Resources` in the working directory, and in the working directory itself.
public struct ResourceFolder: Hashable, Sendable, CustomStringConvertible {
    /// The path of the folder.
    public let path: String
    /// How the folder was found, such as `the main bundle`.
    let origin: String
    /// The folders without an app's files that were examined before, in order.
    let examined: [String]
    /// Whether the folder was found; if false, no examined folder contains an app's files.
    let isFound: Bool

    /// Creates the folder at a path.
    public init(_ path: String) { self.init(path, "set by the app", [], isFound: true) }

    private init(_ path: String, _ origin: String, _ examined: [String], isFound: Bool) {
        self.path = path
        self.origin = origin
        self.examined = examined
        self.isFound = isFound
    }

    /// Creates the folder of a bundle's resources, or its subfolder `Resources` if only that contains an app's files.
    public init(_ bundle: Bundle) {
        let path = bundle.resourcePath ?? bundle.bundlePath
        let inner = path + "/Resources"
        self.init(
            !Self.hasFiles(path) && Self.hasFiles(inner) ? inner : path,
            "the bundle \(bundle.bundleURL.lastPathComponent)", [], isFound: true)
    }

    /// Finds the folder of this process.
    static func find() -> ResourceFolder {
        let executable = Bundle.main.executablePath.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        return find(
            mainBundle: Bundle.main.resourcePath, executable: executable,
            working: FileManager.default.currentDirectoryPath)
    }

    /// Finds the first folder with an app's files; returns `Resources` of the working directory if there is none.
    static func find(mainBundle: String?, executable: String?, working: String) -> ResourceFolder {
        var places: [(path: String, origin: String)] = []
        if let mainBundle { places.append((mainBundle, "the main bundle")) }
        for folder in [mainBundle, executable].compactMap({ $0 }) {
            for bundle in moduleBundles(in: folder) {
                let origin = "the module bundle \(URL(fileURLWithPath: bundle).lastPathComponent)"
                places += [(bundle, origin), (bundle + "/Resources", origin)]
            }
        }
        if let executable {
            places += [(executable + "/Resources", "next to the executable"), (executable, "next to the executable")]
        }
        places += [(working + "/Resources", "the working directory"), (working, "the working directory")]
        var examined: [String] = []
        for place in places where !examined.contains(place.path) {
            if hasFiles(place.path) { return ResourceFolder(place.path, place.origin, examined, isFound: true) }
            examined.append(place.path)
        }
        return ResourceFolder(working + "/Resources", "the working directory", examined, isFound: false)
    }

    private static func moduleBundles(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".resources") || $0.hasSuffix(".bundle") }.sorted().map { name in
            let path = "\(folder)/\(name)"
            return Bundle(path: path)?.resourcePath ?? path
        }
    }

    private static func hasFiles(_ folder: String) -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.contains { name in
            name.hasSuffix(".lproj") || name == "HostMap.json"
                || ["ApplicationConfig.", "Flavors."].contains { name.hasPrefix($0) }
        }
    }

    /// The path and how it was found.
    public var description: String {
        isFound ? "\(path) (\(origin))" : "no folder with an app's files in " + examined.joined(separator: ", ")
    }
}
