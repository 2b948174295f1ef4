// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

@_exported import CoreText
@_exported import Foundation

open class NSColor: NSObject, @unchecked Sendable {
    public convenience init(srgbRed red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) { fatalError() }
}
open class NSImage: NSObject { public init?(contentsOfFile fileName: String) { nil } }
open class NSFont: NSObject, @unchecked Sendable {
    public init?(name fontName: String, size fontSize: CGFloat) { nil }
    open class func systemFont(ofSize fontSize: CGFloat) -> NSFont { fatalError() }
}
open class NSPasteboard: NSObject {
    public struct PasteboardType: Hashable, Sendable {
        public static let string: NSPasteboard.PasteboardType = PasteboardType()
    }
    open class var general: NSPasteboard { fatalError() }
    @discardableResult open func clearContents() -> Int { 0 }
    @discardableResult open func setString(_ string: String, forType dataType: NSPasteboard.PasteboardType) -> Bool {
        false
    }
}
