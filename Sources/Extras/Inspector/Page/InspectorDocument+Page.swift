internal import AshlarCore
public import AshlarNetworking

extension InspectorDocument {
    /// Returns the document as one page of HTML, which needs neither a server, a network nor other files.
    ///
    /// The page's script creates every element, and inserts texts of the document as text only. The page's policy allows
    /// no other script, no other style and no connection.
    ///
    /// - Throws: `.encodingFailed` for a document that is larger than 256 MiB.
    /// - Complexity: O(*n*) in the size of the sections.
    public func page() throws(NetworkError) -> String { String(decoding: try pageBytes(), as: UTF8.self) }

    /// Returns the page in UTF-8.
    package func pageBytes() throws(NetworkError) -> [UInt8] {
        let script = live == nil ? PageScript.text : PageScript.liveText
        let policy =
            "default-src 'none'; script-src '\(Self.hash(script))'; style-src '\(Self.hash(PageStyle.text))'; "
            + "\(live == nil ? "" : "connect-src 'self'; ")base-uri 'none'; form-action 'none'"
        let head = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(policy)">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="referrer" content="no-referrer">
            <title>Ashlar report</title>
            <style>\(PageStyle.text)</style>
            <body>
            <noscript>This page needs JavaScript.</noscript>
            <script type="application/json" id="data">
            """
        let document = Self.escaped(try json())
        return Array(head.utf8) + document + Array("</script>\n<script>\(script)</script>\n".utf8)
    }

    /// Escapes JSON for a `script` element: no text in it is markup, or ends a line of a script.
    static func escaped(_ json: [UInt8]) -> [UInt8] {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(json.count + json.count / 16)
        var rest = json[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "<"): escaped += "\\u003c".utf8
            case UInt8(ascii: ">"): escaped += "\\u003e".utf8
            case UInt8(ascii: "&"): escaped += "\\u0026".utf8
            // U+2028 and U+2029.
            case 0xE2 where rest.starts(with: [0x80, 0xA8]) || rest.starts(with: [0x80, 0xA9]):
                escaped += (rest[rest.startIndex + 1] == 0xA8 ? "\\u2028" : "\\u2029").utf8
                rest = rest.dropFirst(2)
            default: escaped.append(byte)
            }
        }
        return escaped
    }

    /// The source of a policy that allows one text.
    private static func hash(_ text: String) -> String {
        "sha256-" + Base64.encode(SHA256.hash(Array(text.utf8)))
    }
}
