import AshlarAppConfig

/// The rules of a flag, with the places of its values.
struct FlagDefinition {
    struct Rule {
        var conditions: [(attribute: String, condition: FlagCondition)] = []
        var percent: Double?
        var value: ConfigPlace
    }

    struct Outcome {
        var rule: Int?
        var code: ConfigFlagReason
        var reason: String
        /// The value; nil for the default in code.
        var value: ConfigPlace?
    }

    var name: String
    var isEnabled = true
    /// The value if the flag is turned off.
    var off: ConfigPlace?
    var fallback: ConfigPlace?
    var salt: String
    /// Whether the flag is a value without rules.
    var isPlain = false
    var rules: [Rule] = []

    /// The first rule that applies decides.
    func outcome(for subject: ConfigSubject) -> Outcome {
        if !isEnabled { return Outcome(code: .disabled, reason: "the flag is switched off", value: off) }
        for (number, rule) in rules.enumerated() {
            let isMet = rule.conditions.allSatisfy { attribute, condition in
                subject.attributes[attribute].map { condition.isMet(by: $0, attribute: attribute) } ?? false
            }
            guard isMet else { continue }
            var reasons = rule.conditions.map { "\($0.attribute) is \($0.condition)" }
            if let percent = rule.percent {
                let bucket = subject.id.map { Self.bucket(of: $0, salt: salt) }
                guard percent >= 100 || bucket.map({ Double($0) < percent * 100 }) == true else { continue }
                let place = bucket.map { "at \(Self.text(Double($0) / 100)) %, " } ?? ""
                reasons.append("\(place)within \(Self.text(percent)) %")
            }
            let code: ConfigFlagReason =
                rule.percent.map { $0 < 100 } == true
                ? .split : rule.conditions.isEmpty ? .staticValue : .targetingMatch
            return Outcome(
                rule: number + 1, code: code, reason: reasons.isEmpty ? "always" : reasons.joined(separator: ", "),
                value: rule.value)
        }
        return Outcome(
            code: isPlain ? .staticValue : .defaultValue, reason: "no rule applies", value: fallback)
    }

    private static func text(_ number: Double) -> String {
        String(configValue: .real(number), coercion: .standard) ?? ""
    }

    /// Returns the bucket of an ID, from 0 to 9,999: MurmurHash3 x86 32-bit with seed 0 of `salt:ID`, scaled.
    static func bucket(of id: String, salt: String) -> Int {
        Int((UInt64(Murmur3.hash("\(salt):\(id)".utf8)) * 10_000) >> 32)
    }
}
