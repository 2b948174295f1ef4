// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

public struct UTType: Hashable, Sendable {
    public static var plainText: UTType { UTType() }
}
