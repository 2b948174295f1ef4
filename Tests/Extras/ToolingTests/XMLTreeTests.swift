import AshlarCore
import AshlarTrees
import Testing

@testable import AshlarTooling

@Suite struct XMLTreeTests {
    @Test("Elements have their text, attributes, comments and positions")
    func elements() throws {
        let text =
            "<?xml version=\"1.0\"?>\n<!-- head -->\n<a x='1 &lt; 2'>\n  <b/>t&#x41;<![CDATA[<&]]><!-- c -->\r\nend</a>\n"
        let tree = XMLTree(parsing: text)
        let root = try #require(tree.root)
        #expect(tree.failure == nil && tree.comments == [" head "])
        #expect(root.name == "a" && root["x"] == "1 < 2" && root["y"] == nil)
        #expect(root.text == "\n  tA<&\nend")
        let place = LineTable(Array(text.utf8)).position(of: try #require(root.elements.first).offset)
        #expect(place.line == 4 && place.column == 3)
        #expect(XMLTree(parsing: root.xml).root?.text == root.text)
    }

    @Test("A namespace is that of the prefix in scope")
    func namespaces() throws {
        let tree = XMLTree(
            parsing: "<x:r xmlns:x='u:x' xmlns='u:d'><x:a/><a/><b xmlns='u:e'><a/></b><x:b xmlns:x='u:y'/><z:a/></x:r>")
        let root = try #require(tree.root)
        #expect(root.namespace == "u:x" && root.localName == "r")
        #expect(root.elements.map(\.namespace) == ["u:x", "u:d", "u:e", "u:y", nil])
        #expect(root.elements(named: "a").map(\.name) == ["x:a"] && root.elements(named: "b").isEmpty)
        #expect(root.elements[2].elements(named: "a").count == 1)
    }

    @Test(
        "A document that isn't well-formed has an error with its position, and the elements before it",
        arguments: [
            ("", 0, "no root element"), ("<a>", 0, "element 'a' is not closed"),
            ("<a></b>", 3, "unmatched end tag </b>"), ("<a/><b/>", 4, "second root element"),
            ("<a><", 4, "expected more text, found the end of the file"), ("<a>< b/></a>", 3, "expected a name"),
            ("<a b></a>", 3, "expected an attribute or >, found other text"),
            ("<a b=c/>", 5, "the value of attribute 'b' isn't in quotes"),
            ("<a b='c/>", 5, "the value of attribute 'b' isn't in quotes"),
            ("<a>&b;</a>", 3, "unknown entity '&b;'"),
            ("<a>x & y;</a>", 5, "expected a character reference such as &amp;, found &"),
            ("<a>&#0;</a>", 3, "unknown entity '&#0;'"),
            ("<a>\u{1}</a>", 3, "control character 0x1 is not allowed in XML"),
            ("<a><!-- </a>", 3, "unterminated comment"), ("<a><![CDATA[ </a>", 3, "unterminated CDATA section"),
            ("<a><? </a>", 3, "unterminated processing instruction"), ("<!DOCTYPE a [", 0, "unterminated <!DOCTYPE>"),
        ])
    func malformed(text: String, offset: Int, message: String) {
        let tree = XMLTree(parsing: text)
        #expect(tree.failure?.offset == offset)
        #expect(tree.failure?.message == message)
        #expect((tree.root != nil) == (text.hasPrefix("<a>") || text.hasPrefix("<a/")))
    }

    @Test("Internal entities are expanded, external ones and those with markup never")
    func entities() {
        func read(_ subset: String, _ text: String) -> XMLTree {
            XMLTree(parsing: "<!DOCTYPE a [<!-- it's --> \(subset) <?p 'x ?>]><a b=\"\(text)\">\(text)</a>")
        }
        let known = read("<!ENTITY x 'A &y;'><!ENTITY y \"B\"><!ENTITY x 'C'>", "&x;")
        #expect(known.root?.text == "A B" && known.root?["b"] == "A B")
        for subset in ["<!ENTITY x SYSTEM 'file:///etc/passwd'>", "<!ENTITY % x 'y'>", "<!ENTITY x PUBLIC 'p' 'u'>"] {
            #expect(read(subset, "&x;").failure?.message == "unknown entity '&x;'")
        }
        #expect(read("<!ENTITY x '<b/>'>", "&x;").failure?.message.contains("contains markup") == true)
    }

    @Test("Entities that contain each other end with an error", .timeLimit(.minutes(5)))
    func entityBombs() {
        let levels = (1...30).map { "<!ENTITY e\($0) \"\(String(repeating: "&e\($0 - 1);", count: 10))\">" }.joined()
        for (subset, text) in [("<!ENTITY e0 'x'>" + levels, "&e9;"), (levels, "&e30;"), ("<!ENTITY a '&a;'>", "&a;")] {
            let tree = XMLTree(parsing: "<!DOCTYPE a [\(subset)]><a>\(text)</a>")
            #expect(tree.failure?.kind == .tooLarge || tree.failure?.message.hasPrefix("unknown entity") == true)
        }
        let long = "<!ENTITY a '\(String(repeating: "x", count: 1 << 16))'>"
        let tree = XMLTree(parsing: "<!DOCTYPE a [\(long)]><a>\(String(repeating: "&a;", count: 100))</a>")
        #expect(tree.failure?.kind == .tooLarge)
    }

    @Test("The depth of elements is limited")
    func depth() {
        func nested(_ depth: Int) -> String {
            String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
        }
        #expect(XMLTree(parsing: nested(64)).failure == nil)
        #expect(XMLTree(parsing: nested(65)).failure?.kind == .tooDeep)
        #expect(XMLTree(parsing: nested(1_000_000)).failure?.kind == .tooDeep)
    }
}
