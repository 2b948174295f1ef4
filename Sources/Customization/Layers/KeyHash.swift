/// The 64-bit hash of a key's UTF-8 bytes, seeded anew in each process.
///
/// Two multiplications per 16 bytes, folded, as in the wyhash family. The seed keeps a file from being made to
/// measure so that all its keys collide.
enum KeyHash {
    private static let seed = UInt64.random(in: .min ... .max) | 1

    @inline(__always)
    private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }

    static func of(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        guard let base = bytes.baseAddress else { return fold(seed ^ 0xA076_1D64_78BD_642F, 0xE703_7ED1_A0B4_28DB) }
        return of(UnsafeRawPointer(base), count: bytes.count)
    }

    @inline(__always)
    static func of(_ p: UnsafeRawPointer, count: Int) -> UInt64 {
        func load8(_ at: Int) -> UInt64 { p.loadUnaligned(fromByteOffset: at, as: UInt64.self) }
        func load4(_ at: Int) -> UInt64 { UInt64(p.loadUnaligned(fromByteOffset: at, as: UInt32.self)) }
        var state = seed ^ (UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15)
        var at = 0
        while count - at > 16 {
            state = fold(load8(at) ^ 0xA076_1D64_78BD_642F, load8(at + 8) ^ state)
            at += 16
        }
        // The last 1...16 bytes; the two loads may overlap.
        let rest = count - at
        let a: UInt64
        let b: UInt64
        if rest >= 8 {
            (a, b) = (load8(at), load8(count - 8))
        } else if rest >= 4 {
            (a, b) = (load4(at), load4(count - 4))
        } else if rest > 0 {
            let first = UInt64(p.load(fromByteOffset: at, as: UInt8.self))
            let middle = UInt64(p.load(fromByteOffset: at + rest / 2, as: UInt8.self))
            (a, b) = (first << 8 | middle, UInt64(p.load(fromByteOffset: count - 1, as: UInt8.self)))
        } else {
            (a, b) = (0, 0)
        }
        return fold(fold(a ^ 0xE703_7ED1_A0B4_28DB, b ^ state), 0x8EBC_6AF0_9C88_C6E3)
    }
}

extension String {
    /// Runs `body` with the bytes of the text; without a copy for every text that Swift itself holds.
    @inline(__always)
    func withKeyBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        return Array(utf8).withUnsafeBufferPointer(body)
    }
}

/// Compares the bytes of keys, eight at a time.
enum KeyBytes {
    /// Whether as many bytes as `b` has are the same at `a`.
    @inline(__always)
    static func areEqual(_ a: UnsafePointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = b.baseAddress else { return true }
        let (p, q, count) = (UnsafeRawPointer(a), UnsafeRawPointer(base), b.count)
        var i = 0
        if count >= 8 {
            while i + 8 <= count {
                if p.loadUnaligned(fromByteOffset: i, as: UInt64.self)
                    != q.loadUnaligned(fromByteOffset: i, as: UInt64.self)
                {
                    return false
                }
                i += 8
            }
            // The last eight bytes, which may overlap those before.
            return p.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
                == q.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        }
        while i < count {
            if a[i] != base[i] { return false }
            i += 1
        }
        return true
    }
}
