#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Whether the long tests run with their full counts: `ASHLAR_SOAK=1`.
let soak = getenv("ASHLAR_SOAK").map { $0[0] == 49 } ?? false
