#if canImport(Darwin)
    import Foundation
#endif

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
