internal import AshlarCore
import Foundation

/// The parts of a `multipart/form-data` body; files are read from disk in pieces while they are sent.
///
/// Names and file names are escaped as in browsers (WHATWG form submission): `"` as `%22`, CR as `%0D`, LF as `%0A`. A
/// content type with control characters makes the request fail with `.invalidBody`. The length of a file is measured
/// when the request is sent; the request fails if it changes during sending.
///
/// ```swift
/// var form = MultipartForm()
/// form.append("title", "Holiday")
/// form.append("photo", file: "photo.jpg", contentType: "image/jpeg")
/// let body = RequestBody.multipart(form)
/// ```
public struct MultipartForm: Sendable {
    enum Content: Sendable {
        case bytes([UInt8])
        case file(String)
    }

    struct Part: Sendable {
        let name: String
        let filename: String?
        let contentType: String?
        let content: Content
    }

    /// The separator of the parts.
    package let boundary: String
    var parts: [Part] = []

    /// Creates an empty form with a random boundary.
    public init() {
        boundary = "ashlar-" + String((0..<24).map { _ in Self.alphabet.randomElement() ?? "x" })
    }

    private static let alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

    /// Appends a text field.
    public mutating func append(_ name: String, _ value: String) {
        append(name, Array(value.utf8), filename: nil, contentType: nil)
    }

    /// Appends bytes, as a file if they have a file name.
    public mutating func append(
        _ name: String, _ bytes: [UInt8], filename: String? = nil, contentType: String? = "application/octet-stream"
    ) {
        append(name, .bytes(bytes), filename: filename, contentType: contentType)
    }

    /// Appends a file, which is opened when it is sent; its default name is the path's last component.
    public mutating func append(
        _ name: String, file path: String, filename: String? = nil, contentType: String = "application/octet-stream"
    ) {
        let last = path.split(separator: "/").last.map(String.init) ?? path
        append(name, .file(path), filename: filename ?? last, contentType: contentType)
    }

    private mutating func append(_ name: String, _ content: Content, filename: String?, contentType: String?) {
        parts.append(Part(name: name, filename: filename, contentType: contentType, content: content))
    }

    private func head(of part: Part) throws(NetworkError) -> [UInt8] {
        var text = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.escaped(part.name))\""
        if let filename = part.filename { text += "; filename=\"\(Self.escaped(filename))\"" }
        if let contentType = part.contentType {
            guard contentType.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                let name = HTTPSyntax.printable(part.name).debugDescription
                throw NetworkError(
                    .invalidBody, "the content type of the part \(name) has a control character", phase: .prepare)
            }
            text += "\r\nContent-Type: " + contentType
        }
        return Array((text + "\r\n\r\n").utf8)
    }

    private static func escaped(_ name: String) -> String {
        PercentCoding.encode(name) { !"\"\r\n".utf8.contains($0) }
    }

    private var end: [UInt8] { Array("--\(boundary)--\r\n".utf8) }

    /// The pieces of the body in order, and their total length.
    func measured() throws(NetworkError) -> (pieces: [Content], length: Int) {
        var pieces: [Content] = []
        var length = 0
        for part in parts {
            let head = try head(of: part)
            pieces += [.bytes(head), part.content, .bytes(Array("\r\n".utf8))]
            switch part.content {
            case .bytes(let bytes): length += bytes.count
            case .file(let path): length += try FileBodyReader.length(of: path)
            }
            length += head.count + 2
        }
        return (pieces + [.bytes(end)], length + end.count)
    }

    func makeReader() throws(NetworkError) -> any RequestBodyReader { MultipartBodyReader(try measured().pieces) }
}

extension RequestBody {
    /// A multipart form, streamed from memory and disk.
    public static func multipart(_ form: MultipartForm) -> RequestBody {
        RequestBody(.multipart(form), contentType: "multipart/form-data; boundary=\(form.boundary)", length: nil)
    }
}

/// Yields the pieces of a form in order.
private actor MultipartBodyReader: RequestBodyReader {
    private var rest: ArraySlice<MultipartForm.Content>
    private var file: FileBodyReader?

    init(_ pieces: [MultipartForm.Content]) { rest = pieces[...] }

    func next() async throws -> [UInt8]? {
        while true {
            if let open = file {
                if let bytes = try await open.next() { return bytes }
                file = nil
            }
            switch rest.popFirst() {
            case .bytes(let bytes): return bytes
            case .file(let path): file = try FileBodyReader(path: path)
            case nil: return nil
            }
        }
    }
}
