#if canImport(SwiftUI)
    public import AshlarAppConfig
    public import AshlarCustomization
    public import SwiftUI

    private struct AppKey: EnvironmentKey {
        static let defaultValue: ObservableApp? = nil
    }

    extension EnvironmentValues {
        /// The app whose snapshots the views below read, or nil.
        public var ashlar: ObservableApp? {
            get { self[AppKey.self] }
            set { self[AppKey.self] = newValue }
        }
    }

    extension View {
        /// Sets the app whose snapshots this view and those below read.
        public func ashlar(_ app: ObservableApp?) -> some View { environment(\.ashlar, app) }

        /// Gives the view the background of a theme's color, and follows the theme.
        ///
        /// Without an app in the environment the view doesn't change.
        public func themeBackground(_ key: String = "defaultBackgroundColor") -> some View {
            modifier(ThemeBackground(key: key))
        }

        /// Applies a theme's color to the text of the view, and follows the theme.
        ///
        /// Without an app in the environment the view doesn't change.
        public func themeForeground(_ key: String = "defaultLabelTextColor") -> some View {
            modifier(ThemeForeground(key: key))
        }

        /// Applies a theme's font to the text of the view, and follows the theme.
        ///
        /// Without an app in the environment the view doesn't change.
        public func themeFont(_ key: String) -> some View { modifier(ThemeFont(key: key)) }
    }

    private struct ThemeBackground: ViewModifier {
        @Environment(\.ashlar) private var app
        let key: String

        func body(content: Content) -> some View {
            if let app { content.background(Color(app.strings.color(key))) } else { content }
        }
    }

    private struct ThemeForeground: ViewModifier {
        @Environment(\.ashlar) private var app
        let key: String

        func body(content: Content) -> some View {
            if let app { content.foregroundStyle(Color(app.strings.color(key))) } else { content }
        }
    }

    private struct ThemeFont: ViewModifier {
        @Environment(\.ashlar) private var app
        let key: String

        func body(content: Content) -> some View {
            if let app { content.font(Font(app.strings.font(key))) } else { content }
        }
    }

    extension Font {
        /// Creates the font of a theme or a configuration; an unknown name gives the system's font.
        public init(_ spec: FontSpec) {
            let size = CGFloat(spec.size)
            self = spec.name.map { .custom($0, size: size) } ?? .system(size: size)
        }
    }

    extension Image {
        /// Creates the image of a reference at its scale, or nil if the file is not an image.
        public init?(_ reference: ImageReference) {
            #if os(macOS)
                guard let image = NSImage(contentsOfFile: reference.path) else { return nil }
                self.init(nsImage: image)
            #else
                guard let data = FileManager.default.contents(atPath: reference.path),
                    let image = UIImage(data: data, scale: CGFloat(reference.scale))
                else { return nil }
                self.init(uiImage: image)
            #endif
        }
    }
#endif
