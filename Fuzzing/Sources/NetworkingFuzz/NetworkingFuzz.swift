import AshlarNetworking
import FuzzHarness

/// The first function that libFuzzer calls.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutableRawPointer) -> Int32 {
    choose(from: valueTargets + wireTargets + conversationTargets)
}
