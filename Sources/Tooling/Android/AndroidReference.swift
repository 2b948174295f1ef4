/// References of Android's resources, such as `@string/app_name` and `?attr/color`.
enum AndroidReference {
    private static let types: Set<Substring> = [
        "anim", "animator", "array", "attr", "bool", "color", "dimen", "drawable", "font", "fraction", "id", "integer",
        "interpolator", "layout", "menu", "mipmap", "navigation", "plurals", "raw", "string", "style", "styleable",
        "transition", "xml",
    ]

    /// Returns the reference of an alias in an imported layer: the alias itself, or the string with that name.
    static func named(_ key: String) -> (type: String, text: String) {
        if let reference = parse(key) { return ("string", reference) }
        return ("string", "@string/" + (AndroidNames.isValid(key) ? key : AndroidNames.resource(key)))
    }

    /// Returns the text as a reference if aapt2 reads it as one; `nil` for other text.
    static func parse(_ raw: String) -> String? {
        let text = raw.trimmingSpace()
        if text == "@null" || text == "@empty" { return text }
        var body = text.dropFirst()
        while let mark = body.first, mark == "+" || mark == "*" { body = body.dropFirst() }
        let name = body.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).last ?? ""
        let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let entry = parts.last, !entry.isEmpty else { return nil }
        switch text.first {
        case "@": return parts.count == 2 && types.contains(parts[0]) ? text : nil
        case "?": return parts.count == 1 || parts[0] == "attr" || parts[0].isEmpty ? text : nil
        default: return nil
        }
    }
}
