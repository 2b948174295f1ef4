import AshlarCore
import AshlarTooling

extension StringsCoverage {
    /// The number of keys of each language and brand.
    var matrix: Listing {
        var listing = Listing(["language", "strings", "missing"] + brands)
        listing.hasTitles = true
        for language in languages {
            let counts = [count(language), total - count(language)] + brands.map { count(language, brand: $0) }
            listing.add([.string("\(language)")] + counts.map { .integer(Int64($0)) })
        }
        return listing
    }

    /// The keys of the base language that other languages lack.
    var missing: Listing {
        var listing = Listing("language", "table", "key")
        for language in languages {
            for key in missing(language) { listing.add(.string("\(language)"), .string(key.table), .string(key.key)) }
        }
        return listing
    }
}
