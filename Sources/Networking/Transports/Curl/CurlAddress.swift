#if os(Linux)
    import CAshlarCurl

    /// The addresses that libcurl connects to.
    enum CurlAddress {
        /// Whether a `struct curl_sockaddr` holds an address that isn't globally reachable.
        static func isPrivate(_ address: UnsafeRawPointer) -> Bool {
            var (high, low) = (UInt64(0), UInt64(0))
            switch ashlar_address_bytes(address, &high, &low) {
            case 4: return SpecialAddresses.isPrivate(UInt32(truncatingIfNeeded: low))
            case 16: return SpecialAddresses.isPrivate(high: high, low: low)
            default: return true
            }
        }
    }
#endif
