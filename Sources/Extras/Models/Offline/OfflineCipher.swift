/// Encrypts the files of an ``OfflineSync``, for example with AES-GCM of CryptoKit and a key from the keychain.
///
/// A cipher covers the attributes, paths and hosts of records, lists and unsent changes. The names, the number and the
/// sizes of the files remain visible; the name of a list is a hash of its host and path. Files that can't be opened, such as
/// those written with another key or without a cipher, are in ``OfflineSync/unreadableFiles`` and remain unchanged. An older
/// file in the place of a newer one isn't detected.
///
/// Both closures run on any thread, also at the same time, and without a lock, so that they may use the sync. A change that
/// another one overtakes is encrypted again. `open` throws for content that was changed.
///
/// ```swift
/// nonisolated protocol Vault: Sendable {
///     func encrypt(_ content: [UInt8], for name: String) throws -> [UInt8]
///     func decrypt(_ sealed: [UInt8], for name: String) throws -> [UInt8]
/// }
/// func cipher(of vault: some Vault) -> OfflineCipher {
///     OfflineCipher(
///         seal: { content, file in try vault.encrypt(content, for: file) },
///         open: { sealed, file in try vault.decrypt(sealed, for: file) })
/// }
/// ```
public struct OfflineCipher: Sendable {
    let seal: @Sendable (_ content: [UInt8], _ file: String) throws -> [UInt8]
    let open: @Sendable (_ sealed: [UInt8], _ file: String) throws -> [UInt8]

    /// Creates a cipher.
    ///
    /// - Parameters:
    ///   - seal: Encrypts the content of a file. Its name should be authenticated too, as additional data, so that no file
    ///     can take the place of another one. If it throws, the change fails with `.encodingFailed` and isn't sent.
    ///   - open: Returns the content of a file, and throws if it was sealed with another key or for another name.
    public init(
        seal: @escaping @Sendable (_ content: [UInt8], _ file: String) throws -> [UInt8],
        open: @escaping @Sendable (_ sealed: [UInt8], _ file: String) throws -> [UInt8]
    ) {
        self.seal = seal
        self.open = open
    }
}
