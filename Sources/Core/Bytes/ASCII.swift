extension UInt8 {
    /// The value of a hexadecimal digit in either case, or nil.
    @inlinable
    package var hexValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }

    /// The uppercase hexadecimal digit of a value below 16.
    @inlinable
    package static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }
}
