#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The color spaces of CSS Color 4, which the Design Tokens format also uses.
///
/// The matrices and transfer functions are those of the specification's sample code. Angles are in degrees; percentages
/// of `hsl` and `hwb` are from 0 to 100.
enum ColorSpace: String {
    case sRGB = "srgb"
    case linearSRGB = "srgb-linear"
    case displayP3 = "display-p3"
    case linearDisplayP3 = "display-p3-linear"
    case a98RGB = "a98-rgb"
    case proPhotoRGB = "prophoto-rgb"
    case rec2020
    case xyz
    case xyzD50 = "xyz-d50"
    case xyzD65 = "xyz-d65"
    case hsl, hwb, lab, lch, oklab, oklch

    /// Whether `color()` has the space; the others have a function of their own.
    var isPredefined: Bool {
        switch self {
        case .hsl, .hwb, .lab, .lch, .oklab, .oklch: false
        default: true
        }
    }

    /// Converts three components to sRGB.
    ///
    /// Components of a color outside sRGB are below 0 or above 1.
    func sRGB(_ c: SIMD3<Double>) -> SIMD3<Double> {
        switch self {
        case .sRGB: return c
        case .linearSRGB: return Self.gammaEncoded(c)
        case .displayP3: return ColorSpace.linearDisplayP3.sRGB(Self.linear(c))
        case .linearDisplayP3: return Self.fromXYZ(Self.displayP3ToXYZ * c)
        case .a98RGB: return Self.fromXYZ(Self.a98ToXYZ * c.signed { pow($0, 563 / 256) })
        case .proPhotoRGB:
            return ColorSpace.xyzD50.sRGB(Self.proPhotoToXYZ * c.signed { $0 <= 16 / 512 ? $0 / 16 : pow($0, 1.8) })
        case .rec2020: return Self.fromXYZ(Self.rec2020ToXYZ * c.signed { pow($0, 2.4) })
        case .xyz, .xyzD65: return Self.fromXYZ(c)
        case .xyzD50: return Self.fromXYZ(Self.d50ToD65 * c)
        case .hsl: return Self.rgb(hue: c.x, saturation: c.y / 100, lightness: c.z / 100)
        case .hwb:
            let (white, black) = (c.y / 100, c.z / 100)
            if white + black >= 1 { return SIMD3(repeating: white / (white + black)) }
            return Self.rgb(hue: c.x, saturation: 1, lightness: 0.5) * (1 - white - black) + white
        case .lab: return ColorSpace.xyzD50.sRGB(Self.labToXYZ(c))
        case .lch: return ColorSpace.lab.sRGB(Self.rectangular(c))
        case .oklab: return Self.gammaEncoded(Self.lmsToLinearSRGB * (Self.oklabToLMS * c).cubed)
        case .oklch: return ColorSpace.oklab.sRGB(Self.rectangular(c))
        }
    }

    // MARK: Steps

    private static func rgb(hue: Double, saturation: Double, lightness: Double) -> SIMD3<Double> {
        let turn = hue.truncatingRemainder(dividingBy: 360)
        let start = (turn < 0 ? turn + 360 : turn) / 30
        return SIMD3(0, 8, 4).map { n in
            let k = (n + start).truncatingRemainder(dividingBy: 12)
            return lightness - saturation * min(lightness, 1 - lightness) * max(-1, min(k - 3, 9 - k, 1))
        }
    }

    /// Converts lightness, chroma and hue to lightness and two axes.
    private static func rectangular(_ c: SIMD3<Double>) -> SIMD3<Double> {
        SIMD3(c.x, c.y * cos(c.z * .pi / 180), c.y * sin(c.z * .pi / 180))
    }

    private static func labToXYZ(_ c: SIMD3<Double>) -> SIMD3<Double> {
        let y = (c.x + 16) / 116
        let whiteD50 = SIMD3(0.3457 / 0.3585, 1, (1 - 0.3457 - 0.3585) / 0.3585)
        let (epsilon, kappa) = (216.0 / 24389, 24389.0 / 27)
        return SIMD3(c.y / 500 + y, y, y - c.z / 200).map { f in
            f * f * f > epsilon ? f * f * f : (116 * f - 16) / kappa
        } * whiteD50
    }

    private static func fromXYZ(_ xyz: SIMD3<Double>) -> SIMD3<Double> { gammaEncoded(xyzToSRGB * xyz) }

    private static func gammaEncoded(_ c: SIMD3<Double>) -> SIMD3<Double> {
        c.signed { $0 <= 0.0031308 ? 12.92 * $0 : 1.055 * pow($0, 1 / 2.4) - 0.055 }
    }

    private static func linear(_ c: SIMD3<Double>) -> SIMD3<Double> {
        c.signed { $0 <= 0.04045 ? $0 / 12.92 : pow(($0 + 0.055) / 1.055, 2.4) }
    }

    // MARK: Matrices

    /// Three rows.
    private struct Matrix {
        let rows: (SIMD3<Double>, SIMD3<Double>, SIMD3<Double>)

        init(_ a: SIMD3<Double>, _ b: SIMD3<Double>, _ c: SIMD3<Double>) { rows = (a, b, c) }

        static func * (matrix: Matrix, c: SIMD3<Double>) -> SIMD3<Double> {
            SIMD3((matrix.rows.0 * c).sum(), (matrix.rows.1 * c).sum(), (matrix.rows.2 * c).sum())
        }
    }

    private static let xyzToSRGB = Matrix(
        [12831 / 3959, -329 / 214, -1974 / 3959], [-851781 / 878810, 1_648_619 / 878810, 36519 / 878810],
        [705 / 12673, -2585 / 12673, 705 / 667])
    private static let displayP3ToXYZ = Matrix(
        [608311 / 1_250_200, 189793 / 714400, 198249 / 1_000_160],
        [35783 / 156275, 247089 / 357200, 198249 / 2_500_400],
        [0, 32229 / 714400, 5_220_557 / 5_000_800])
    private static let a98ToXYZ = Matrix(
        [573536 / 994567, 263643 / 1_420_810, 187206 / 994567],
        [591459 / 1_989_134, 6_239_551 / 9_945_670, 374412 / 4_972_835],
        [53769 / 1_989_134, 351524 / 4_972_835, 4_929_758 / 4_972_835])
    private static let rec2020ToXYZ = Matrix(
        [63_426_534 / 99_577_255, 20_160_776 / 139_408_157, 47_086_771 / 278_816_314],
        [26_158_966 / 99_577_255, 472_592_308 / 697_040_785, 8_267_143 / 139_408_157],
        [0, 19_567_812 / 697_040_785, 295_819_943 / 278_816_314])
    private static let proPhotoToXYZ = Matrix(
        [0.7977666449006423, 0.13518129740053308, 0.0313477341283922],
        [0.2880748288194013, 0.711835234241873, 0.00008993693872564],
        [0, 0, 0.8251046025104602])
    private static let d50ToD65 = Matrix(
        [0.9554734527042182, -0.023098536874261423, 0.0632593086610217],
        [-0.028369706963208136, 1.0099954580058226, 0.021041398966943008],
        [0.012314001688319899, -0.020507696433477912, 1.3303659366080753])
    private static let oklabToLMS = Matrix(
        [1, 0.3963377773761749, 0.2158037573099136], [1, -0.1055613458156586, -0.0638541728258133],
        [1, -0.0894841775298119, -1.2914855480194092])
    private static let lmsToLinearSRGB = Matrix(
        [4.0767416360759583, -3.3077115392580629, 0.2309699031821043],
        [-1.2684379732850315, 2.6097573492876882, -0.3413193760026572],
        [-0.0041960761386756, -0.7034186179359362, 1.7076146940746117])
}

extension SIMD3<Double> {
    fileprivate func map(_ transform: (Double) -> Double) -> SIMD3<Double> {
        SIMD3(transform(x), transform(y), transform(z))
    }

    /// Transforms the absolute values and keeps the signs, as the specification extends each transfer function.
    fileprivate func signed(_ transform: (Double) -> Double) -> SIMD3<Double> {
        map { $0 < 0 ? -transform(-$0) : transform($0) }
    }

    fileprivate var cubed: SIMD3<Double> { self * self * self }
}
