// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase, AvoidRetroactiveConformances

@_exported import CoreText
@_exported import Foundation

open class UIColor: NSObject, @unchecked Sendable {
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) { super.init() }
}
open class UIImage: NSObject, @unchecked Sendable { public init?(data: Data, scale: CGFloat) { nil } }
open class UIFont: NSObject, @unchecked Sendable {
    public init?(name fontName: String, size fontSize: CGFloat) { nil }
    open class func systemFont(ofSize fontSize: CGFloat) -> UIFont { fatalError() }
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
    @MainActor open class UIResponder: NSObject {
        nonisolated public override init() { super.init() }
    }
    @MainActor open class UIView: UIResponder {
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
    @MainActor open class UIViewController: UIResponder {
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
