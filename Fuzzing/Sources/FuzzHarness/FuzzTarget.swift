#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A parser's entry point under a name.
public struct FuzzTarget: Sendable {
    let name: String
    let run: @Sendable ([UInt8]) -> Void

    /// A target that must return for any bytes; a trap, a hang or a leak is a finding.
    public init(_ name: String, _ run: @escaping @Sendable ([UInt8]) -> Void) { (self.name, self.run) = (name, run) }
}

/// Set once in `LLVMFuzzerInitialize`, before libFuzzer runs its first input on the same thread.
private nonisolated(unsafe) var chosen: FuzzTarget?

/// Chooses the target that the environment's `FUZZ_TARGET` names; without a known name, lists the names and exits.
public func choose(from targets: [FuzzTarget]) -> Int32 {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) }
    chosen = targets.first { $0.name == name }
    guard chosen != nil else {
        print(targets.map(\.name).joined(separator: "\n"))
        exit(name == nil ? 0 : 2)
    }
    return 0
}

/// libFuzzer's callback for one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    chosen?.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
