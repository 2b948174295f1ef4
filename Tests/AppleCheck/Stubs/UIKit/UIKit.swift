// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase, AvoidRetroactiveConformances

@_exported import CoreText
@_exported import Foundation

open class UIColor: NSObject, @unchecked Sendable {
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) { super.init() }
    #if !os(watchOS)
        public init(dynamicProvider: @escaping @Sendable (UITraitCollection) -> UIColor) { super.init() }
    #endif
}
open class UIImage: NSObject, @unchecked Sendable { public init?(data: Data, scale: CGFloat) { nil } }
open class UIFont: NSObject, @unchecked Sendable {
    public init?(name fontName: String, size fontSize: CGFloat) { nil }
    open class func systemFont(ofSize fontSize: CGFloat) -> UIFont { fatalError() }
    public struct TextStyle: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let body: UIFont.TextStyle = TextStyle(rawValue: "body")
        public static let caption1: UIFont.TextStyle = TextStyle(rawValue: "caption1")
    }
    open class func preferredFont(forTextStyle style: UIFont.TextStyle) -> UIFont { fatalError() }
}
open class UIFontMetrics: NSObject {
    open class var `default`: UIFontMetrics { fatalError() }
    open func scaledFont(for font: UIFont) -> UIFont { font }
}

#if !os(watchOS)
    open class NSCoder: NSObject {}
    open class NSIndexPath: NSObject {}
    extension IndexPath: @retroactive _ObjectiveCBridgeable {
        public func _bridgeToObjectiveC() -> NSIndexPath { fatalError() }
        public static func _forceBridgeFromObjectiveC(_ s: NSIndexPath, result: inout IndexPath?) {}
        public static func _conditionallyBridgeFromObjectiveC(_ s: NSIndexPath, result: inout IndexPath?) -> Bool {
            false
        }
        public static func _unconditionallyBridgeFromObjectiveC(_ s: NSIndexPath?) -> IndexPath { fatalError() }
        public var section: Int { 0 }
        public var row: Int { 0 }
    }
    public enum UIUserInterfaceStyle: Int, Sendable { case unspecified, light, dark }
    open class UITraitCollection: NSObject, @unchecked Sendable {
        open var userInterfaceStyle: UIUserInterfaceStyle { .unspecified }
        public subscript<T: UITraitDefinition>(trait: T.Type) -> T.Value { T.defaultValue }
    }
    public protocol UITraitDefinition<Value>: SendableMetatype {
        associatedtype Value
        static var defaultValue: Self.Value { get }
    }
    public typealias UITrait = any UITraitDefinition.Type
    public protocol UIMutableTraits {
        subscript<T: UITraitDefinition>(trait: T.Type) -> T.Value { get set }
    }
    @MainActor public protocol UITraitChangeRegistration: NSObjectProtocol {}
    @MainActor public protocol UITraitEnvironment: NSObjectProtocol {
        var traitCollection: UITraitCollection { get }
    }
    @MainActor public protocol UITraitChangeObservable: UITraitEnvironment {}
    extension UITraitChangeObservable {
        @discardableResult public func registerForTraitChanges(
            _ traits: [UITrait], handler: @escaping (Self, UITraitCollection) -> Void
        ) -> any UITraitChangeRegistration { fatalError() }
    }
    public struct UIAccessibilityTraits: OptionSet, Sendable {
        public let rawValue: UInt64
        public init(rawValue: UInt64) { self.rawValue = rawValue }
        public static let button: UIAccessibilityTraits = UIAccessibilityTraits(rawValue: 1)
        public static let selected: UIAccessibilityTraits = UIAccessibilityTraits(rawValue: 2)
        public static let staticText: UIAccessibilityTraits = UIAccessibilityTraits(rawValue: 4)
    }
    @MainActor open class UIResponder: NSObject {
        nonisolated public override init() { super.init() }
    }
    @MainActor open class UIView: UIResponder, UITraitChangeObservable {
        open var traitCollection: UITraitCollection { fatalError() }
        open var accessibilityLabel: String?
        open var accessibilityTraits: UIAccessibilityTraits = []
        public init(frame: CGRect) { super.init() }
        public required init?(coder: NSCoder) { nil }
        open var backgroundColor: UIColor?
        open var window: UIWindow? { nil }
        open func didMoveToWindow() {}
    }
    @MainActor open class UIWindow: UIView {}
    @MainActor open class UILabel: UIView {
        open var text: String?
        open var textColor: UIColor!
        open var font: UIFont!
        open var numberOfLines: Int = 1
        open var adjustsFontForContentSizeCategory: Bool = false
    }
    @MainActor open class UITextField: UIView {
        open var text: String?
        open var placeholder: String?
    }
    @MainActor open class UIScrollView: UIView {}
    @MainActor open class UITableViewCell: UIView {
        public enum CellStyle: Int, Sendable { case `default`, value1, value2, subtitle }
        public enum AccessoryType: Int, Sendable { case none, disclosureIndicator, detailDisclosureButton, checkmark }
        public enum SelectionStyle: Int, Sendable { case none, blue, gray, `default` }
        public init(style: UITableViewCell.CellStyle, reuseIdentifier: String?) { super.init(frame: .zero) }
        public required init?(coder: NSCoder) { nil }
        open var textLabel: UILabel? { nil }
        open var detailTextLabel: UILabel? { nil }
        open var accessoryType: AccessoryType = .none
        open var selectionStyle: SelectionStyle = .default
    }
    @MainActor open class UITableView: UIScrollView {
        public enum Style: Int, Sendable { case plain, grouped, insetGrouped }
        public init(frame: CGRect, style: UITableView.Style) { super.init(frame: frame) }
        public required init?(coder: NSCoder) { nil }
        weak open var dataSource: (any UITableViewDataSource)?
        weak open var delegate: (any UITableViewDelegate)?
        open var rowHeight: CGFloat = 44
        open func dequeueReusableCell(withIdentifier identifier: String) -> UITableViewCell? { nil }
        open func deselectRow(at indexPath: IndexPath, animated: Bool) {}
        open func reloadData() {}
    }
    @MainActor @objc public protocol UITableViewDataSource: NSObjectProtocol {
        func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int
        func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell
        @objc optional func numberOfSections(in tableView: UITableView) -> Int
        @objc optional func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String?
    }
    @MainActor @objc public protocol UIScrollViewDelegate: NSObjectProtocol {}
    @MainActor @objc public protocol UITableViewDelegate: NSObjectProtocol, UIScrollViewDelegate {
        @objc optional func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat
        @objc optional func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath)
    }
    @MainActor open class UIViewController: UIResponder, UITraitChangeObservable {
        open var traitCollection: UITraitCollection { fatalError() }
        open var navigationItem: UINavigationItem { fatalError() }
        open var navigationController: UINavigationController? { nil }
        open var popoverPresentationController: UIPopoverPresentationController? { nil }
        public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }
        public required init?(coder: NSCoder) { nil }
        open var title: String?
        open func viewDidLoad() {}
        open func viewWillAppear(_ animated: Bool) {}
        open func present(
            _ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (() -> Void)? = nil
        ) {}
    }
    @MainActor open class UITableViewController: UIViewController {
        public init(style: UITableView.Style) { super.init(nibName: nil, bundle: nil) }
        public override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
            super.init(nibName: nibNameOrNil, bundle: nibBundleOrNil)
        }
        public required init?(coder: NSCoder) { nil }
        open var tableView: UITableView!
    }
    @MainActor open class UINavigationController: UIViewController {
        open func pushViewController(_ viewController: UIViewController, animated: Bool) {}
    }
    @MainActor open class UIPopoverPresentationController: NSObject {
        open var barButtonItem: UIBarButtonItem?
    }
    @MainActor open class UIAction: NSObject {
        public typealias UIActionHandler = (UIAction) -> Void
        public convenience init(
            title: String = "", image: UIImage? = nil, handler: @escaping UIAction.UIActionHandler
        ) { fatalError() }
    }
    @MainActor open class UIBarButtonItem: NSObject {
        public convenience init(title: String? = nil, image: UIImage? = nil, primaryAction: UIAction? = nil) {
            fatalError()
        }
    }
    @MainActor open class UINavigationItem: NSObject {
        open var rightBarButtonItem: UIBarButtonItem?
        open var rightBarButtonItems: [UIBarButtonItem]?
        #if !os(tvOS)
            open var searchController: UISearchController?
        #endif
    }
    @MainActor open class UISearchBar: UIView {
        open var text: String?
        open var placeholder: String?
    }
    @MainActor @objc public protocol UISearchResultsUpdating: NSObjectProtocol {
        func updateSearchResults(for searchController: UISearchController)
    }
    @MainActor open class UISearchController: UIViewController {
        public init(searchResultsController: UIViewController?) { super.init(nibName: nil, bundle: nil) }
        public required init?(coder: NSCoder) { nil }
        weak open var searchResultsUpdater: (any UISearchResultsUpdating)?
        open var obscuresBackgroundDuringPresentation: Bool = true
        open var searchBar: UISearchBar { fatalError() }
    }
    #if !os(tvOS)
        open class UIPasteboard: NSObject, @unchecked Sendable {
            open class var general: UIPasteboard { fatalError() }
            open var string: String?
        }
        @MainActor open class UIActivity: NSObject {}
        @MainActor open class UIActivityViewController: UIViewController {
            public init(activityItems: [Any], applicationActivities: [UIActivity]?) {
                super.init(nibName: nil, bundle: nil)
            }
            public required init?(coder: NSCoder) { nil }
        }
    #endif
    @MainActor open class UIAlertAction: NSObject {
        public enum Style: Int, Sendable { case `default`, cancel, destructive }
        public convenience init(title: String?, style: UIAlertAction.Style, handler: ((UIAlertAction) -> Void)? = nil) {
            fatalError()
        }
    }
    @MainActor open class UIAlertController: UIViewController {
        public enum Style: Int, Sendable { case actionSheet, alert }
        public convenience init(title: String?, message: String?, preferredStyle: UIAlertController.Style) {
            fatalError()
        }
        open func addAction(_ action: UIAlertAction) {}
        open func addTextField(configurationHandler: ((UITextField) -> Void)? = nil) {}
        open var textFields: [UITextField]? { nil }
    }
#endif
