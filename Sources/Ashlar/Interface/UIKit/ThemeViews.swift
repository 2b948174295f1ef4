#if canImport(UIKit) && !os(watchOS)
    public import AshlarCustomization
    public import UIKit

    /// A view that takes its appearance from the current app's theme while it is in a window.
    @MainActor
    public protocol ThemedView: UIView {
        /// Applies the theme; called when the view enters a window, and after each change.
        func apply(_ strings: Customization)
    }

    /// Follows the customization of the current app for one view.
    @MainActor
    final class ThemeFollower {
        private var task: Task<Void, Never>?

        /// Applies the current customization and each later one until the view leaves its window or is released.
        func follow(_ view: some ThemedView) {
            task?.cancel()
            guard view.window != nil, let center = AshlarApp.current?.customization else { return }
            // The view is complete before its first frame; the stream begins with the current customization.
            view.apply(center.current)
            let changes = center.changes()
            task = Task { [weak view] in for await strings in changes { view?.apply(strings) } }
        }

        deinit { task?.cancel() }
    }

    /// A view whose background is a color of the current app's theme.
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
        open func apply(_ strings: Customization) { backgroundColor = UIColor(strings.color(backgroundColorKey)) }
    }

    /// A label whose font, text and background follow the current app's theme.
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
            textColor = UIColor(strings.color(textColorKey))
            if let key = backgroundColorKey { backgroundColor = UIColor(strings.color(key)) }
            if let key = fontKey { font = strings.font(key).uiFont }
        }
    }

    /// A table whose background is a color of the current app's theme.
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
        open func apply(_ strings: Customization) { backgroundColor = UIColor(strings.color(backgroundColorKey)) }
    }
#endif
