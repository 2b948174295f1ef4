#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Domains under which anyone can register names, such as `co.uk` and `github.io`.
///
/// The rules come from the system's libpsl where it is installed, and otherwise from a table of this module.
struct PublicSuffixes: Sendable {
    /// The rules of the system, or those of the table.
    static let current = PublicSuffixes(library: Library()) ?? PublicSuffixes()

    private let library: Library?
    /// The rules below each top-level domain.
    private let rules: [Substring: Set<Substring>]

    /// Creates the rules of the table.
    init() {
        library = nil
        var rules: [Substring: Set<Substring>] = [:]
        for entry in PublicSuffixTable.text.split(separator: " ") {
            let parts = entry.split(separator: ":")
            rules[parts[0]] = parts.count > 1 ? Set(parts[1].split(separator: ",")) : []
        }
        self.rules = rules
    }

    private init?(library: Library?) {
        guard let library else { return nil }
        (self.library, rules) = (library, [:])
    }

    /// Whether a domain in lowercase ASCII is a public suffix; any top-level domain is one.
    ///
    /// - Complexity: O(*n*) in the length of the domain.
    func contains(_ domain: String) -> Bool {
        if let library { return library.contains(domain) }
        let labels = domain.split(separator: ".")
        guard labels.count > 1, let top = labels.last, let below = rules[top] else { return labels.count <= 1 }
        let name = domain.dropLast(top.count + 1)
        if below.contains("!" + name) { return false }
        let parent = name.firstIndex(of: ".").map { "*" + name[$0...] } ?? "*"
        return below.contains(name) || below.contains(parent[...])
    }

    /// libpsl, opened at run time.
    private struct Library: Sendable {
        private typealias Load = @convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?
        private typealias Contains = @convention(c) @Sendable (OpaquePointer?, UnsafePointer<CChar>?) -> Int32

        nonisolated(unsafe) private let list: OpaquePointer  // Safe because libpsl never changes a loaded list.
        private let isPublicSuffix: Contains

        /// Opens the library and its newest list; returns nil if either is missing.
        init?() {
            #if canImport(Glibc) || canImport(Darwin)
                guard let library = dlopen("libpsl.so.5", RTLD_NOW | RTLD_LOCAL),
                    let load = dlsym(library, "psl_latest"),
                    let contains = dlsym(library, "psl_is_public_suffix"),
                    let list = unsafeBitCast(load, to: Load.self)(nil)
                else { return nil }
                self.list = list
                isPublicSuffix = unsafeBitCast(contains, to: Contains.self)
            #else
                return nil
            #endif
        }

        func contains(_ domain: String) -> Bool { isPublicSuffix(list, domain) == 1 }
    }
}
