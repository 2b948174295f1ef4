// One subscript for each type that is decoded at composition. A read with a key is then a probe and a copy, without the
// value, location and error of the generic subscript, which handles all failures.

extension Customization {
    /// Returns the decoded value of a key; nil if there is none, or if the read has a problem to report.
    @inline(__always)
    private func decoded<Value>(_ key: CustomizationKey<Value>) -> ComposedTable.Typed? {
        guard let composed = storage.table(key.table) else { return nil }
        return composed.typed(key.name, hash: key.hash, ignoringFallbacks: !storage.policy.reportsFallbacks)
    }

    @inline(never)
    private func slow<Value: CustomizationReadable>(_ key: CustomizationKey<Value>) -> Value? {
        do {
            return try value(key)
        } catch {
            if error.code != .missing { report(error.diagnostic) }
            return nil
        }
    }

    /// The integer of a key; nil if no layer defines it or its value is malformed, which is reported in ``problems``.
    public subscript(key: CustomizationKey<Int>) -> Int? {
        if let number = decoded(key)?.int, let int = Int(exactly: number) { return int }
        return slow(key)
    }

    /// The number of a key; nil if no layer defines it or its value is malformed, which is reported in ``problems``.
    public subscript(key: CustomizationKey<Double>) -> Double? {
        if let number = decoded(key)?.double { return number }
        return slow(key)
    }

    /// The boolean of a key; nil if no layer defines it or its value is malformed, which is reported in ``problems``.
    public subscript(key: CustomizationKey<Bool>) -> Bool? {
        if let flag = decoded(key)?.bool { return flag }
        return slow(key)
    }

    /// The color of a key; nil if no layer defines it or its value is malformed, which is reported in ``problems``.
    public subscript(key: CustomizationKey<RGBAColor>) -> RGBAColor? {
        if let color = decoded(key)?.color { return color }
        return slow(key)
    }

    /// The text of a key; nil if no layer defines it or its value isn't a text, which is reported in ``problems``.
    public subscript(key: CustomizationKey<String>) -> String? {
        if let composed = storage.table(key.table) {
            let slot = composed.slot(key.name, hash: key.hash)
            if slot >= 0, let text = composed.text(of: slot),
                !(storage.policy.reportsFallbacks && composed.isFallback(slot))
            {
                return text
            }
        }
        return slow(key)
    }
}
