// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

@_exported import CoreFoundation
@_exported import CoreText
public import Foundation

public typealias CFURL = NSURL
public typealias CFDictionary = NSDictionary
public final class CGImage: @unchecked Sendable {}
public class CGImageSource {}
public let kCGImageSourceCreateThumbnailFromImageAlways: CFString = NSString()
public let kCGImageSourceCreateThumbnailWithTransform: CFString = NSString()
public let kCGImageSourceShouldCacheImmediately: CFString = NSString()
public func CGImageSourceCreateWithURL(_ url: CFURL, _ options: CFDictionary?) -> CGImageSource? { nil }
public func CGImageSourceCreateThumbnailAtIndex(_ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?)
    -> CGImage?
{
    nil
}
