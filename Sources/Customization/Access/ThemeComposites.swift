// The one public declaration of the core that this module exports: apps read fonts from the configuration, too.
@_exported public import struct AshlarCore.FontSpec

/// The distances of content from the edges around it, in points.
public struct ThemeInsets: Hashable, Sendable {
    /// The distance from the upper edge.
    public var top: Double
    /// The distance from the left edge.
    public var left: Double
    /// The distance from the lower edge.
    public var bottom: Double
    /// The distance from the right edge.
    public var right: Double

    package init(top: Double = 0, left: Double = 0, bottom: Double = 0, right: Double = 0) {
        (self.top, self.left, self.bottom, self.right) = (top, left, bottom, right)
    }
}

/// A position, in points.
public struct ThemePoint: Hashable, Sendable {
    /// The distance to the right of the origin.
    public var x: Double
    /// The distance below the origin.
    public var y: Double

    package init(x: Double = 0, y: Double = 0) { (self.x, self.y) = (x, y) }
}

/// An extent, in points.
public struct ThemeSize: Hashable, Sendable {
    /// The horizontal extent.
    public var width: Double
    /// The vertical extent.
    public var height: Double

    package init(width: Double = 0, height: Double = 0) { (self.width, self.height) = (width, height) }
}

/// The duration, delay and curve of an animation.
public struct ThemeAnimation: Hashable, Sendable {
    /// The timing curve of an animation.
    public enum Curve: String, Hashable, Sendable, CaseIterable {
        /// Slow at both ends.
        case easeInOut
        /// Slow at the start.
        case easeIn
        /// Slow at the end.
        case easeOut
        /// Constant speed.
        case linear
    }

    /// The duration, in seconds.
    public var duration: Double
    /// The delay before the start, in seconds.
    public var delay: Double
    /// The timing curve.
    public var curve: Curve

    package init(duration: Double = 0, delay: Double = 0, curve: Curve = .easeInOut) {
        (self.duration, self.delay, self.curve) = (duration, delay, curve)
    }
}

/// The case of a text in a theme.
public enum ThemeTextCase: String, Hashable, Sendable, CaseIterable {
    /// The text isn't changed.
    case none
    /// Uppercase.
    case uppercase
    /// Lowercase.
    case lowercase

    /// Returns the text in this case, without the rules of a locale.
    public func applied(to text: String) -> String {
        switch self {
        case .none: text
        case .uppercase: text.uppercased()
        case .lowercase: text.lowercased()
        }
    }
}
