#if canImport(SwiftUI)
    import AshlarAppConfig
    public import AshlarCustomization
    public import ImageIO
    public import SwiftUI

    extension View {
        /// Gives the view the background of a theme's color, and follows the theme and the appearance, light or dark.
        ///
        /// Without an app in the environment the background is clear.
        public func themeBackground(_ key: String = "defaultBackgroundColor") -> some View {
            modifier(ThemeBackground(key: key))
        }

        /// Applies a theme's color to the text of the view, and follows the theme and the appearance, light or dark.
        ///
        /// Without an app in the environment the view doesn't change.
        public func themeForeground(_ key: String = "defaultLabelTextColor") -> some View {
            modifier(ThemeForeground(key: key))
        }

        /// Applies a theme's font to the text of the view, and follows the theme and the user's text size.
        ///
        /// Without an app in the environment the view doesn't change.
        public func themeFont(_ key: String) -> some View { modifier(ThemeFont(key: key)) }
    }

    // A view has the same identity with and without an app, so its state is preserved when the app arrives.

    private struct ThemeBackground: ViewModifier {
        @Environment(\.ashlar) private var app
        @Environment(\.colorScheme) private var scheme
        let key: String

        func body(content: Content) -> some View {
            content.background(app.map { Color($0.strings.color(key, isDark: scheme == .dark)) } ?? .clear)
        }
    }

    private struct ThemeForeground: ViewModifier {
        @Environment(\.ashlar) private var app
        @Environment(\.colorScheme) private var scheme
        let key: String

        func body(content: Content) -> some View {
            let color = app.map { Color($0.strings.color(key, isDark: scheme == .dark)) }
            content.foregroundStyle(color.map { AnyShapeStyle($0) } ?? AnyShapeStyle(.foreground))
        }
    }

    private struct ThemeFont: ViewModifier {
        @Environment(\.ashlar) private var app
        @ScaledMetric private var scale = 1.0
        let key: String

        func body(content: Content) -> some View {
            let font = app.map { Font($0.strings.font(key), scale: scale) }
            content.transformEnvironment(\.font) { if let font { $0 = font } }
        }
    }

    extension Font {
        /// Creates the font of a theme or a configuration; an unknown name gives the system's font.
        ///
        /// - Parameters:
        ///   - spec: The name and the size.
        ///   - scale: The factor for the user's text size, a `@ScaledMetric` of 1; `themeFont(_:)` applies it.
        init(_ spec: FontSpec, scale: Double = 1) {
            let size = CGFloat(spec.size * scale)
            self = spec.name.map { .custom($0, fixedSize: size) } ?? .system(size: size)
        }
    }

    /// A string of the customization by key, with the values of its placeholders, which follows the language and the brand.
    ///
    /// For example, `LocalizedText("notes.count", ["count": 3])` shows the number of notes.
    ///
    /// Without an app in the environment the text is the key.
    public struct LocalizedText: View {
        @Environment(\.ashlar) private var app
        private let key: String
        private let arguments: KeyValuePairs<String, any FormatArgument>

        /// Creates a text.
        public init(_ key: String, _ arguments: KeyValuePairs<String, any FormatArgument> = [:]) {
            self.key = key
            self.arguments = arguments
        }

        /// The text.
        public var body: Text { Text(verbatim: app?.strings.message(key, arguments) ?? key) }
    }

    /// An image of the customization by key, decoded off the main thread, which follows the language and the brand.
    ///
    /// It has the size of the image, and is empty until the image is decoded.
    public struct ThemeImage: View {
        @Environment(\.ashlar) private var app
        @Environment(\.displayScale) private var displayScale
        @State private var image: Image?
        private let key: String
        private let label: String?

        /// Creates an image.
        ///
        /// - Parameters:
        ///   - key: The key of the image.
        ///   - label: The key of the text that a screen reader speaks; nil for a decoration, which it skips.
        public init(_ key: String, label: String?) {
            self.key = key
            self.label = label
        }

        /// The image.
        public var body: some View {
            let reference = app?.strings.image(key, scale: Int(displayScale.native.rounded(.up)))
            ZStack { image }
                .accessibilityElement()
                .accessibilityHidden(label == nil)
                .accessibilityAddTraits(.isImage)
                .accessibilityLabel(label.map { app?.strings.string($0) ?? $0 } ?? "")
                .task(id: reference) {
                    let decoded = await reference?.decoded()
                    if Task.isCancelled { return }
                    image = decoded.map {
                        Image(decorative: $0, scale: CGFloat(reference?.scale ?? 1), orientation: .up)
                    }
                }
        }
    }

    extension ImageReference {
        /// Reads and decodes the image off the calling actor, with the orientation of its metadata applied.
        ///
        /// Use it with `UIImage(cgImage:scale:orientation:)`, too. A file in a vector format other than PDF gives nil.
        ///
        /// - Returns: The image, or nil if the file isn't an image that ImageIO reads.
        public nonisolated func decoded() async -> CGImage? {
            guard let source = CGImageSourceCreateWithURL(URL(fileURLWithPath: path) as CFURL, nil) else { return nil }
            // A thumbnail without a maximum size is the whole image, decoded and rotated.
            let options: [CFString: Bool] = [
                kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceCreateThumbnailWithTransform: true,
                kCGImageSourceShouldCacheImmediately: true,
            ]
            return CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary)
        }
    }
#endif
