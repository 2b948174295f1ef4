#if canImport(UIKit) && !os(watchOS)
    import AshlarCustomization
    public import UIKit

    /// Calls back with the customization of the current app, now and after each change, as long as its owner lives.
    @MainActor
    final class ThemeFollower {
        private var task: Task<Void, Never>?

        func start(_ apply: @escaping @MainActor (Customization) -> Void) {
            task?.cancel()
            guard let center = AshlarApp.current?.customization else { return }
            let changes = center.changes
            apply(center.current)
            task = Task { for await strings in changes { apply(strings) } }
        }

        deinit { task?.cancel() }
    }

    /// A view whose background is a color of the current app's theme.
    open class ThemeView: UIView {
        private let follower = ThemeFollower()

        /// The key of the background color.
        open var backgroundColorKey: String = "defaultBackgroundColor" { didSet { follow() } }

        /// Creates a view.
        public override init(frame: CGRect) {
            super.init(frame: frame)
            follow()
        }

        /// Creates a view from a storyboard.
        public required init?(coder: NSCoder) {
            super.init(coder: coder)
            follow()
        }

        private func follow() {
            follower.start { [weak self] strings in
                guard let self else { return }
                backgroundColor = UIColor(strings.color(backgroundColorKey))
            }
        }
    }

    /// A label whose text and background are colors of the current app's theme.
    open class ThemeLabel: UILabel {
        private let follower = ThemeFollower()

        /// The key of the text color.
        open var textColorKey: String = "defaultLabelTextColor" { didSet { follow() } }
        /// The key of the background color; nil for none.
        open var backgroundColorKey: String? { didSet { follow() } }

        /// Creates a label.
        public override init(frame: CGRect) {
            super.init(frame: frame)
            follow()
        }

        /// Creates a label from a storyboard.
        public required init?(coder: NSCoder) {
            super.init(coder: coder)
            follow()
        }

        private func follow() {
            follower.start { [weak self] strings in
                guard let self else { return }
                textColor = UIColor(strings.color(textColorKey))
                if let key = backgroundColorKey { backgroundColor = UIColor(strings.color(key)) }
            }
        }
    }

    /// A table whose background is a color of the current app's theme.
    open class ThemeTableView: UITableView {
        private let follower = ThemeFollower()

        /// The key of the background color.
        open var backgroundColorKey: String = "defaultBackgroundColor" { didSet { follow() } }

        /// Creates a table.
        public override init(frame: CGRect, style: UITableView.Style) {
            super.init(frame: frame, style: style)
            follow()
        }

        /// Creates a table from a storyboard.
        public required init?(coder: NSCoder) {
            super.init(coder: coder)
            follow()
        }

        private func follow() {
            follower.start { [weak self] strings in
                guard let self else { return }
                backgroundColor = UIColor(strings.color(backgroundColorKey))
            }
        }
    }
#endif
