import AshlarCustomization
import BenchmarkHarness
import Foundation

extension BenchmarkSuite {
    /// A compiled message with two arguments; the bars are 400 ns and one allocation, which is the result.
    mutating func messageRows() {
        let text = "{name} sent {count, plural, one {# file} other {# files}}"
        let message = CustomizationMessage(icu: text)
        let english = LanguageConventions("en")
        let strings = Customization(layers: [CustomizationLayer(overrides: ["sent": .string(text)])])
        let arguments: [KeyValuePairs<String, any FormatArgument>] = (0..<64).map {
            ["name": "Zoë Müller", "count": $0]
        }
        let values = (0..<64).map { [FormatValue.string("Zoë Müller"), .int($0)] }
        let format = CustomizationMessage("%1$@ sent %2$lld files")
        let clock = Contender("0.4 us of processor time") { n in
            // The bar is absolute: the loop takes as long as n formatting operations are allowed to take.
            let end = DispatchTime.now().uptimeNanoseconds + UInt64(n) * 400
            while DispatchTime.now().uptimeNanoseconds < end {}
        }
        row(
            "ICU message with two named values", note: "the bar of 520 ns is absolute", allocations: 1,
            ours: Contender("message.formatted") { n in
                var sum = 0
                for i in 0..<n { sum &+= message.formatted(arguments[i & 63], language: english).text.utf8.count }
                blackHole(sum)
            },
            against: [
                // Measured 450 to 480 ns without a second path for messages; the peer, a plain format, takes 2.4 µs.
                Peer(clock, .atMost(1.3)),
                Peer(
                    Contender("String(format:), a plain format") { n in
                        var sum = 0
                        for i in 0..<n { sum &+= String(format: "%@ sent %ld files", "Zoë Müller", i & 63).utf8.count }
                        blackHole(sum)
                    }),
            ])
        row(
            "ICU message by key", note: "with the look-up of the key in the snapshot",
            ours: Contender("customization.message") { n in
                var sum = 0
                for i in 0..<n { sum &+= strings.message("sent", arguments[i & 63]).utf8.count }
                blackHole(sum)
            }, against: [Peer(clock)])
        row(
            "format with two values",
            ours: Contender("message.formatted") { n in
                var sum = 0
                for i in 0..<n { sum &+= format.formatted(values[i & 63], language: english).text.utf8.count }
                blackHole(sum)
            }, against: [Peer(clock)])
    }
}
