import AshlarNetworking
import FuzzHarness

/// libFuzzer's first call.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutableRawPointer) -> Int32 {
    choose(from: valueTargets + wireTargets + conversationTargets)
}
