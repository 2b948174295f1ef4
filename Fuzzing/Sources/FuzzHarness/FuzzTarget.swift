#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A named function to fuzz.
public struct FuzzTarget: Sendable {
    let name: String
    let run: @Sendable ([UInt8]) -> Void

    /// Creates a target.
    ///
    /// Its closure must return for every input; a trap, a hang or a leak is a finding.
    public init(_ name: String, _ run: @escaping @Sendable ([UInt8]) -> Void) { (self.name, self.run) = (name, run) }
}

// Unsafe because it is global and mutable. `LLVMFuzzerInitialize` sets it once, before libFuzzer runs the first input
// on the same thread.
private nonisolated(unsafe) var chosen: FuzzTarget?

/// Selects the target of the variable `FUZZ_TARGET`; if its name is unknown, prints the names and exits.
public func choose(from targets: [FuzzTarget]) -> Int32 {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) }
    chosen = targets.first { $0.name == name }
    guard chosen != nil else {
        print(targets.map(\.name).joined(separator: "\n"))
        exit(name == nil ? 0 : 2)
    }
    return 0
}

/// The callback that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    chosen?.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
