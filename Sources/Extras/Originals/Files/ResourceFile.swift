import AshlarLogging
import Foundation

/// Finds the files that the original libraries read from the app's bundle, and logs errors.
enum ResourceFile {
    /// The folder of the app's resources; on Linux, that of the executable.
    static var folder: String { Bundle.main.resourcePath ?? Bundle.main.bundlePath }

    /// Returns the path of a resource; a name that is a path itself is returned unchanged.
    static func path(_ name: String) -> String { name.hasPrefix("/") ? name : folder + "/" + name }

    /// Logs an error of a call whose original doesn't report it.
    static func report(_ error: some CustomStringConvertible, in library: String) {
        Log(library).error("\(error.description)")
    }

    /// Returns the result of a call whose original doesn't throw, or logs its error and returns nil.
    @discardableResult
    static func attempt<Result>(in library: String, _ call: () throws -> Result) -> Result? {
        do { return try call() } catch {
            report(String(describing: error), in: library)
            return nil
        }
    }
}
