#if canImport(UIKit) && !os(watchOS)
    public import AshlarCustomization
    public import UIKit

    /// A view that takes its appearance from the theme of an app while it is in a window.
    ///
    /// The app is the one of the view's traits, as in SwiftUI's environment: set it once with
    /// `window.traitOverrides.ashlar = ObservableApp(app)`. Without an app the view doesn't change.
    @MainActor
    public protocol ThemedView: UIView {
        /// Applies the theme; called when the view enters a window, and after each change.
        func apply(_ strings: Customization)
    }

    /// Follows the customization of a view's app.
    @MainActor
    final class ThemeFollower {
        private var task: Task<Void, Never>?
        private var isRegistered = false

        /// Applies the current customization and each later one until the view leaves its window or is released.
        func follow(_ view: some ThemedView) {
            task?.cancel()
            if !isRegistered {
                isRegistered = true
                view.registerForTraitChanges([AppTrait.self]) { [weak self] view, _ in self?.follow(view) }
            }
            guard view.window != nil, let center = view.traitCollection.ashlar?.app.customization else { return }
            // The view is complete before its first frame; the stream begins with the current customization.
            view.apply(center.current)
            let changes = center.changes()
            task = Task { [weak view] in for await strings in changes { view?.apply(strings) } }
        }

        deinit { task?.cancel() }
    }

    extension UIColor {
        /// Creates a color of a theme that follows the appearance, light or dark; see `Customization.color(_:isDark:)`.
        public static func theme(_ key: String, _ strings: Customization) -> UIColor {
            UIColor { UIColor(strings.color(key, isDark: $0.userInterfaceStyle == .dark)) }
        }
    }

    /// A view whose background is a color of its app's theme.
    open class ThemeView: UIView, ThemedView {
        private let follower = ThemeFollower()
        /// The key of the background color.
        open var backgroundColorKey: String = "defaultBackgroundColor" { didSet { follower.follow(self) } }

        /// Starts or ends following the theme.
        open override func didMoveToWindow() {
            super.didMoveToWindow()
            follower.follow(self)
        }

        /// Applies the background color.
        open func apply(_ strings: Customization) { backgroundColor = .theme(backgroundColorKey, strings) }
    }

    /// A label whose font, text and background follow its app's theme, and its font the user's text size.
    open class ThemeLabel: UILabel, ThemedView {
        private let follower = ThemeFollower()
        /// The key of the text color.
        open var textColorKey: String = "defaultLabelTextColor" { didSet { follower.follow(self) } }
        /// The key of the background color; nil for none.
        open var backgroundColorKey: String? { didSet { follower.follow(self) } }
        /// The key of the font; nil for the label's own.
        open var fontKey: String? { didSet { follower.follow(self) } }

        /// Starts or ends following the theme.
        open override func didMoveToWindow() {
            super.didMoveToWindow()
            follower.follow(self)
        }

        /// Applies the colors and the font.
        open func apply(_ strings: Customization) {
            textColor = .theme(textColorKey, strings)
            if let key = backgroundColorKey { backgroundColor = .theme(key, strings) }
            guard let key = fontKey else { return }
            font = UIFontMetrics.default.scaledFont(for: strings.font(key).uiFont)
            adjustsFontForContentSizeCategory = true
        }
    }

    /// A table whose background is a color of its app's theme.
    open class ThemeTableView: UITableView, ThemedView {
        private let follower = ThemeFollower()
        /// The key of the background color.
        open var backgroundColorKey: String = "defaultBackgroundColor" { didSet { follower.follow(self) } }

        /// Starts or ends following the theme.
        open override func didMoveToWindow() {
            super.didMoveToWindow()
            follower.follow(self)
        }

        /// Applies the background color.
        open func apply(_ strings: Customization) { backgroundColor = .theme(backgroundColorKey, strings) }
    }
#endif
