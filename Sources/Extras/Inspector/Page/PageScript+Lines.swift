extension PageScript {
    /// The lines of all runs, which the log and the overview show.
    static let lines = #"""
        const lines = [], contexts = new Set(), contextNames = make("datalist", { id: "contexts" });
        const runs = list(content.runs);
        // The number of the newest run is 1.
        const ownRun = runs.findIndex(run => run.number === 1);
        function addLine(time, level, context, text, run) {
            // A list of more names isn't read.
            if (!contexts.has(context) && contexts.size < 1000) {
                contexts.add(context);
                contextNames.append(make("option", { value: shown(context) }));
            }
            const line = { time, level, context, text, run, search: text.toLowerCase() };
            lines.push(line);
            return line;
        }
        for (const [index, run] of runs.entries()) {
            for (const [time, level, context, text] of list(run.lines)) addLine(time, level, list(run.contexts)[context] ?? "", text, index);
        }
        // The lines of the running app come last.
        const ownStart = lines.length;
        // Adds lines of the running app, and removes its oldest ones; returns both.
        function addLines(items) {
            const added = items.map(([time, level, context, text]) => addLine(time, level, context, text, ownRun));
            const excess = lines.length - ownStart - content.live.lineLimit;
            return { added, removed: excess > 500 ? new Set(lines.splice(ownStart, excess)) : null };
        }
        const isError = level => level >= 0 && level < 3, isWarning = level => level === 3;
        const runName = run => `${run.number}: ${clock(run.startedAt).slice(0, 19)}, ${run.application ?? "?"}, ${run.outcome}`;
        function runTitle({ number }) {
            if (number === 1) return isLive ? "This run" : "Newest run";
            return number === 2 ? "Prior run" : "Run " + number;
        }
        // The color of the end of a run.
        function verdict(outcome) {
            if (outcome === "clean") return "good";
            if (outcome === "still running") return "active";
            return /^(crashed|killed)/.test(outcome) ? "error" : "warning";
        }
        """#
}
