import AshlarEventBus
import FuzzHarness

/// Parsers of names and patterns: every input must be accepted or throw a typed error.
let topicTargets = [
    FuzzTarget("topicName") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(EventBusError) {
            let topic = try Topic<Int>(named: text)
            precondition(topic.name.utf8.elementsEqual(text.utf8))
            // A name is also a pattern that matches only this name, and `**` matches it.
            let pattern = try TopicPattern(parsing: text)
            precondition(pattern.matches(text))
            let bus = EventBus()
            let watch = bus.watch("**") { _ in }
            let receipt = try bus.trigger(named: text, 1)
            precondition(receipt.delivered == 1)
            watch.cancel()
        } catch {
            precondition(error.code == .malformedName)
            precondition((0...text.utf8.count).contains(error.offset ?? -1))
            precondition((try? EventBus().trigger(named: text)) == nil)
        }
    },
    FuzzTarget("topicPattern") { bytes in
        // The first line is a pattern, the second line a name.
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        do throws(EventBusError) {
            let pattern = try TopicPattern(parsing: String(lines[0]))
            let name = lines.count > 1 ? String(lines[1]) : "a:b"
            guard (try? Topic<Int>(named: name)) != nil else { return }
            let bus = EventBus()
            let watch = bus.watch(pattern) { _ in }
            let topic = try Topic<Int>(named: name)
            precondition(bus.trigger(topic, 1).delivered == (pattern.matches(name) ? 1 : 0))
            watch.cancel()
        } catch {
            precondition(error.code.description == "malformedPattern")
            precondition((0...lines[0].utf8.count).contains(error.offset ?? -1))
        }
    },
]
