/// A font that a theme asks for; making it is the job of whoever draws.
public struct ThemeFont: Hashable, Sendable {
    /// The font's name, or nil for the system's font.
    public var name: String?
    /// The size in points.
    public var size: Double

    /// Creates a font.
    ///
    /// - Parameters:
    ///   - name: The font's name, or nil for the system's font.
    ///   - size: The size in points.
    public init(name: String? = nil, size: Double = 15) { (self.name, self.size) = (name, size) }
}

/// The distances of a content from the edges around it, in points.
public struct ThemeInsets: Hashable, Sendable {
    /// The distance from the upper edge.
    public var top: Double
    /// The distance from the left edge.
    public var left: Double
    /// The distance from the lower edge.
    public var bottom: Double
    /// The distance from the right edge.
    public var right: Double

    /// Creates insets.
    ///
    /// - Parameters:
    ///   - top: The distance from the upper edge.
    ///   - left: The distance from the left edge.
    ///   - bottom: The distance from the lower edge.
    ///   - right: The distance from the right edge.
    public init(top: Double = 0, left: Double = 0, bottom: Double = 0, right: Double = 0) {
        (self.top, self.left, self.bottom, self.right) = (top, left, bottom, right)
    }
}

/// A place, in points.
public struct ThemePoint: Hashable, Sendable {
    /// The distance to the right of the origin.
    public var x: Double
    /// The distance below the origin.
    public var y: Double

    /// Creates a point.
    ///
    /// - Parameters:
    ///   - x: The distance to the right of the origin.
    ///   - y: The distance below the origin.
    public init(x: Double = 0, y: Double = 0) { (self.x, self.y) = (x, y) }
}

/// An extent, in points.
public struct ThemeSize: Hashable, Sendable {
    /// The horizontal extent.
    public var width: Double
    /// The vertical extent.
    public var height: Double

    /// Creates a size.
    ///
    /// - Parameters:
    ///   - width: The horizontal extent.
    ///   - height: The vertical extent.
    public init(width: Double = 0, height: Double = 0) { (self.width, self.height) = (width, height) }
}

/// How something moves: for how long, after which pause, and along which curve.
public struct ThemeAnimation: Hashable, Sendable {
    /// How a movement's speed changes.
    public enum Curve: String, Hashable, Sendable, CaseIterable {
        /// Slow at both ends.
        case easeInOut
        /// Slow at the start.
        case easeIn
        /// Slow at the end.
        case easeOut
        /// The same speed all the way.
        case linear
    }

    /// The time that it takes, in seconds.
    public var duration: Double
    /// The pause before it starts, in seconds.
    public var delay: Double
    /// How its speed changes.
    public var curve: Curve

    /// Creates an animation.
    ///
    /// - Parameters:
    ///   - duration: The time that it takes, in seconds.
    ///   - delay: The pause before it starts, in seconds.
    ///   - curve: How its speed changes.
    public init(duration: Double = 0, delay: Double = 0, curve: Curve = .easeInOut) {
        (self.duration, self.delay, self.curve) = (duration, delay, curve)
    }
}

/// How a theme wants a text to be written.
public enum ThemeTextCase: String, Hashable, Sendable, CaseIterable {
    /// As it is.
    case none
    /// All in capitals.
    case uppercase
    /// All in small letters.
    case lowercase

    /// The text in this case, without a locale's own rules.
    ///
    /// - Parameter text: The text.
    /// - Returns: The text in this case.
    public func applied(to text: String) -> String {
        switch self {
        case .none: text
        case .uppercase: text.uppercased()
        case .lowercase: text.lowercased()
        }
    }
}
