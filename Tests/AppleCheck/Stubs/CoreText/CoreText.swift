// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

@_exported import CoreFoundation
@_exported import Darwin
import Foundation

public typealias CFString = NSString
public struct CGAffineTransform: Sendable {}
public class CTFont {}
public func CTFontCreateWithName(_ name: CFString, _ size: CGFloat, _ matrix: UnsafePointer<CGAffineTransform>?)
    -> CTFont
{ fatalError() }
public func CTFontCopyPostScriptName(_ font: CTFont) -> CFString { fatalError() }
public enum CTFontUIFontType: UInt32, Sendable { case system = 2 }
public func CTFontCreateUIFontForLanguage(_ type: CTFontUIFontType, _ size: CGFloat, _ language: CFString?) -> CTFont? {
    nil
}
