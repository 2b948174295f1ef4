/// CLDR's distances between a preferred and an available language, from 0 (the same) to ``threshold`` (not a match).
///
/// A distance is the sum of the distances of the languages, scripts and regions; see UTS #35, "Language Matching".
enum LanguageDistance {
    /// The smallest distance at which languages don't match: the distance between unrelated scripts.
    static let threshold = 50

    /// The largest distance between scripts that most readers of a language know, such as those of Serbian.
    private static let sharedScripts = 5

    /// The preferred locales among equal distances.
    static let paradigms = Set(
        CLDRMatchingData.paradigms.split(separator: " ").compactMap { LanguageTag(String($0)) }
            .map { LanguageCodes($0) })

    struct Rule: CustomStringConvertible {
        let description: String
        /// The subtags of both sides; `*` matches all.
        let desired: [String]
        let supported: [String]
        let distance: Int
        let isSymmetric: Bool

        /// Reads a rule such as `nb>no=1~`; see ``CLDRMatchingData``.
        init?(_ key: String, _ value: String) {
            let sides = key.split(separator: ">")
            guard sides.count == 2, let distance = Int(value.prefix { $0 != "~" }) else { return nil }
            desired = sides[0].split(separator: "-").map(String.init)
            supported = sides[1].split(separator: "-").map(String.init)
            self.distance = distance
            isSymmetric = value.hasSuffix("~")
            description = isSymmetric ? "\(sides[0]) <> \(sides[1])" : "\(sides[0]) > \(sides[1])"
        }
    }

    /// A part of a distance and its rule.
    struct Step {
        let subtag: String
        let distance: Int
        let rule: String
    }

    /// Returns the distance of two maximized tags; `nil` if they don't match.
    static func distance(_ desired: LanguageCodes, _ supported: LanguageCodes, crossingScripts: Bool) -> Int? {
        let total = steps(desired, supported, crossingScripts: crossingScripts)?.reduce(0) { $0 + $1.distance }
        return total.flatMap { $0 < threshold ? $0 : nil }
    }

    /// Returns the parts of a distance that aren't 0; `nil` if the tags don't match.
    static func steps(
        _ desired: LanguageCodes, _ supported: LanguageCodes, crossingScripts: Bool = true
    ) -> [Step]? {
        var steps: [Step] = []
        if desired.language != supported.language {
            guard let rule = languageRule(desired.language, supported.language) else { return nil }
            steps.append(Step(subtag: "language", distance: rule.distance, rule: rule.description))
        }
        if desired.script != supported.script {
            guard let rule = scriptRule(desired, supported), crossingScripts || rule.distance <= sharedScripts else {
                return nil
            }
            steps.append(Step(subtag: "script", distance: rule.distance, rule: rule.description))
        }
        if desired.region != supported.region {
            let rule = regionRule(desired, supported)
            steps.append(Step(subtag: "region", distance: rule.distance, rule: rule.name))
        }
        return steps
    }

    // MARK: - Languages and scripts

    private static func languageRule(_ desired: String, _ supported: String) -> Rule? {
        languageRules[desired]?.first { $0.supported == supported }?.rule
    }

    /// Returns the languages that can match another language, including itself.
    static func languages(relatedTo desired: String) -> [String] {
        [desired] + (languageRules[desired] ?? []).map(\.supported)
    }

    private static let languageRules: [String: [(supported: String, rule: Rule)]] = {
        var rules: [String: [(supported: String, rule: Rule)]] = [:]
        for rule in CLDRTable.pairs(CLDRMatchingData.languages).compactMap(Rule.init) where rule.desired != ["*"] {
            let (desired, supported) = (rule.desired[0], rule.supported[0])
            rules[desired, default: []].append((supported, rule))
            if rule.isSymmetric { rules[supported, default: []].append((desired, rule)) }
        }
        return rules
    }()

    private static func scriptRule(_ desired: LanguageCodes, _ supported: LanguageCodes) -> Rule? {
        func fits(_ side: [String], _ codes: LanguageCodes) -> Bool {
            side[0] == codes.language && side[1] == codes.script
        }
        return scriptRules.first {
            fits($0.desired, desired) && fits($0.supported, supported)
                || $0.isSymmetric && fits($0.desired, supported) && fits($0.supported, desired)
        }
    }

    private static let scriptRules = CLDRTable.pairs(CLDRMatchingData.scripts).compactMap(Rule.init)

    // MARK: - Regions

    /// One side of a region rule: a script, and a region or set of regions; `*` and `nil` match all.
    private struct RegionPattern {
        let script: String
        var regions: Set<String>?
        var isComplement = false

        init(_ side: [String]) {
            script = side[1]
            let region = side[2]
            if region.hasPrefix("$!") {
                regions = Self.variables["$" + region.dropFirst(2)]
                isComplement = true
            } else if region.hasPrefix("$") {
                regions = Self.variables[region]
            } else if region != "*" {
                regions = [region]
            }
        }

        func fits(_ codes: LanguageCodes) -> Bool {
            guard script == "*" || script == codes.script else { return false }
            return regions.map { $0.contains(codes.region) != isComplement } ?? true
        }

        private static let variables = CLDRTable.read(CLDRMatchingData.variables).mapValues {
            Set($0.split(separator: "+").map(String.init))
        }
    }

    private struct RegionRule {
        let name: String
        let distance: Int
        let desired: RegionPattern
        let supported: RegionPattern
    }

    private static func regionRule(
        _ desired: LanguageCodes, _ supported: LanguageCodes
    ) -> (name: String, distance: Int) {
        if desired.language == supported.language, let rules = regionRules[desired.language],
            let rule = rules.first(where: {
                $0.desired.fits(desired) && $0.supported.fits(supported)
                    || $0.desired.fits(supported) && $0.supported.fits(desired)
            })
        {
            return (rule.name, rule.distance)
        }
        return ("*-*-* <> *-*-*", 4)
    }

    /// The rules of each language in CLDR's order.
    ///
    /// All rules work in both directions.
    private static let regionRules: [String: [RegionRule]] = {
        var rules: [String: [RegionRule]] = [:]
        for rule in CLDRTable.pairs(CLDRMatchingData.regions).compactMap(Rule.init) where rule.desired[0] != "*" {
            rules[rule.desired[0], default: []].append(
                RegionRule(
                    name: rule.description, distance: rule.distance, desired: RegionPattern(rule.desired),
                    supported: RegionPattern(rule.supported)))
        }
        return rules
    }()
}
