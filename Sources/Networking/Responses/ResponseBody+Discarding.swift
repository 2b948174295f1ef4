extension ResponseBody {
    /// Reads at most `count` bytes and cancels the rest; an early end is ignored.
    func prefix(_ count: Int) async -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let chunk = try? await next() { bytes += chunk }
        if bytes.count >= count { cancel() }
        return Array(bytes.prefix(count))
    }

    /// Reads the rest of a body, up to `count` bytes and for a short time, so that the connection can be reused.
    func discard(upTo count: Int) async {
        // A new connection costs less than waiting for a long unused body.
        let limit = Task { [self] in
            try await Task.sleep(for: .milliseconds(250))
            cancel()
        }
        _ = await prefix(count)
        limit.cancel()
    }
}
