extension RouteTree {
    /// The result of a walk.
    enum Outcome {
        /// The number of the target, and the step at which its catch-all starts or the number of steps.
        case found(target: Int32, depth: Int)
        /// The number of matching steps.
        case notFound(reached: Int)
        case tooCostly
    }

    /// The choice taken at a step; other values are the number of an edge.
    enum Taken {
        static let literal: Int32 = -1
        static let plain: Int32 = -2
        static let catchAll: Int32 = -3
    }

    /// The next choice at a step; other values are the number of an edge.
    private enum Stage {
        static let plain: Int32 = -1
        static let catchAll: Int32 = -2
        static let nothing: Int32 = -3
    }

    /// Finds the target of a sequence of steps, by precedence at each segment from the left, with full backtracking.
    ///
    /// A node represents one sequence of choices, so no node is visited twice. The field `taken` records the choice at
    /// each step, and a retreat overwrites it, so nothing has to be rolled back.
    @inline(never)
    func find(
        _ bytes: borrowing Span<UInt8>, _ steps: inout MutableSpan<RouteStep>, count: Int, hasAuthority: Bool,
        _ conversions: inout [Int32: any Sendable]?
    ) -> Outcome {
        var (node, depth, left, reached) = (hasAuthority ? Self.authorityRoot : Self.root, 0, limits.steps, 0)
        while true {
            left &-= 1
            if left < 0 { return .tooCostly }
            reached = max(reached, depth)
            let place = nodes[Int(node)]
            if depth == count {
                if place.leaf >= 0 { return .found(target: place.leaf, depth: depth) }
            } else {
                steps[depth].node = node
                steps[depth].next = place.edges
                if place.hasStatics {
                    let (start, length) = (Int(steps[depth].start), Int(steps[depth].length))
                    let fold = options.foldsCase || hasAuthority && depth < 2
                    if steps[depth].hash == 0 {
                        steps[depth].hash = RouteBytes.hash(bytes, start, length, fold: fold)
                    }
                    let child = child(of: node, bytes, start, length, hash: steps[depth].hash, fold: fold)
                    if child > 0 {
                        steps[depth].taken = Taken.literal
                        node = child
                        depth &+= 1
                        continue
                    }
                }
                depth &+= 1
            }
            // Returns to the last step with another choice, starting with the current one.
            var isBelow = false
            while !isBelow {
                depth &-= 1
                if depth < 0 { return .notFound(reached: reached) }
                node = steps[depth].node
                switch takeNext(bytes, &steps[depth], &left, &conversions) {
                case .tooCostly?: return .tooCostly
                case .catchAll?:
                    if steps[depth].length > 0 || depth &+ 1 < count {
                        return .found(target: nodes[Int(node)].catchAll, depth: depth)
                    }
                case .child(let child)?:
                    node = child
                    isBelow = true
                case nil: break
                }
            }
            depth &+= 1
        }
    }

    private enum Choice {
        case child(Int32)
        case catchAll
        case tooCostly
    }

    /// Takes the next parameter that matches the step, and records the choice after it; returns nil if none matches.
    @inline(__always)
    private func takeNext(
        _ bytes: borrowing Span<UInt8>, _ step: inout RouteStep, _ left: inout Int,
        _ conversions: inout [Int32: any Sendable]?
    ) -> Choice? {
        var stage = step.next
        while stage >= 0 {
            left &-= 1
            if left < 0 { return .tooCostly }
            let (edge, taken) = (edges[Int(stage)], stage)
            stage = edge.next
            if fits(bytes, step, edge, taken, &conversions) {
                (step.taken, step.next) = (taken, stage)
                return .child(edge.child)
            }
        }
        let place = nodes[Int(step.node)]
        if stage == Stage.plain {
            stage = Stage.catchAll
            if place.plain > 0, step.length > 0 {
                (step.taken, step.next) = (Taken.plain, stage)
                return .child(place.plain)
            }
        }
        step.next = Stage.nothing
        guard stage == Stage.catchAll, place.catchAll >= 0 else { return nil }
        step.taken = Taken.catchAll
        return .catchAll
    }

    /// Returns whether a segment has an edge's text around a nonempty value with the edge's type.
    ///
    /// A type that converts does so here, once for each value.
    private func fits(
        _ bytes: borrowing Span<UInt8>, _ step: RouteStep, _ edge: Edge, _ number: Int32,
        _ conversions: inout [Int32: any Sendable]?
    ) -> Bool {
        let (start, prefix, suffix) = (Int(step.start), Int(edge.prefix), Int(edge.suffix))
        let (end, around) = (start &+ Int(step.length), Int(edge.textStart))
        let fold = options.foldsCase || edge.isHost
        guard start &+ prefix < end &- suffix,
            RouteBytes.equal(bytes, start, text, around, prefix, fold: fold),
            RouteBytes.equal(bytes, end &- suffix, text, around &+ prefix, suffix, fold: fold)
        else { return false }
        if edge.isHost {
            for at in start &+ prefix..<end &- suffix where bytes[at] == UInt8(ascii: ".") || bytes[at] == .colon {
                return false
            }
        }
        if edge.type < 0 { return true }
        let value = bytes.extracting(start &+ prefix..<end &- suffix)
        if edge.rule != .string { return edge.rule.accepts(value) }
        let type = types[Int(edge.type)]
        guard type.converts else { return type.accepts(value) }
        guard let converted = type.convert(value) else { return false }
        conversions = conversions ?? [:]
        conversions?[number] = converted
        return true
    }
}
