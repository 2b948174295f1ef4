extension PageScript {
    /// The log: its filters, and a list that has elements for the visible lines only.
    static let log = #"""
        let selectRun = () => {};
        function showLog(panel, runs) {
            const contexts = new Set(), lines = [], names = make("datalist", { id: "contexts" });
            function add(time, level, context, text, run) {
                // A list of more names isn't read.
                if (!contexts.has(context) && contexts.size < 1000) {
                    contexts.add(context);
                    names.append(make("option", { value: shown(context) }));
                }
                const line = { time, level, context, text, run, search: text.toLowerCase() };
                lines.push(line);
                return line;
            }
            for (const [index, run] of runs.entries()) {
                for (const [time, level, context, text] of list(run.lines)) add(time, level, list(run.contexts)[context] ?? "", text, index);
            }
            // The lines of the running app come last.
            const ownStart = lines.length;
            const runName = run => `${run.number}: ${clock(run.startedAt)}, ${run.application ?? "?"}, ${run.outcome}`;
            const run = make("select", {}, make("option", { value: "" }, "All runs"),
                runs.map((run, index) => make("option", { value: index }, runName(run))));
            const level = make("select", {}, make("option", { value: "" }, "All levels"),
                levelNames.map((name, index) => make("option", { value: index }, name)));
            const context = make("input", { list: "contexts" });
            const text = make("input", { type: "search" });
            const [from, to] = ["from", "to"].map(() => make("input", { placeholder: "2026-11-25 12:00:00" }));
            const status = make("p", { role: "status", class: "quiet" });
            const plot = make("div");
            const rowHeight = 22;
            const space = make("div", { role: "presentation" });
            const box = make("div", { class: "list", role: "listbox", "aria-label": "Log lines", tabindex: "0" }, space);
            const detail = make("section", { "aria-label": "Selected line", "aria-live": "polite" });
            const follow = make("input", { type: "checkbox" });
            follow.checked = true;
            let found = [], selected = -1, matches = () => true, plottedAt = 0;

            // The time of a text such as "2026-11-25 12:00" in UTC; a time without a date has the date of the last line.
            function bound(input, otherwise) {
                let value = input.value.trim().replace(" ", "T");
                if (/^\d{1,2}:\d{2}/.test(value)) value = clock(lines[lines.length - 1]?.time ?? 0).slice(0, 11).trim() + "T" + value;
                const time = value && Date.parse(value.includes("T") ? value + "Z" : value);
                const isWrong = value !== "" && isNaN(time);
                input.setAttribute("aria-invalid", String(isWrong));
                return value === "" || isWrong ? otherwise : time * 1000;
            }
            function apply() {
                const most = level.value === "" ? Infinity : Number(level.value), least = level.value === "" ? -1 : 0;
                const [first, last] = [bound(from, -Infinity), bound(to, Infinity)];
                const only = run.value === "" ? -1 : Number(run.value);
                const name = context.value.trim(), wanted = text.value.toLowerCase();
                const known = new Map();
                function fits(context) {
                    if (!known.has(context)) {
                        if (known.size > 5000) known.clear();
                        known.set(context, shown(context) === name || shown(context).startsWith(name + "."));
                    }
                    return known.get(context);
                }
                matches = line => line.level <= most && line.level >= least && (only < 0 || line.run === only)
                    && (name === "" || fits(line.context)) && line.time >= first && line.time < last
                    && (wanted === "" || line.search.includes(wanted));
                found = lines.filter(matches);
                selected = -1;
                detail.replaceChildren();
                box.scrollTop = 0;
                showFound();
            }
            function showFound() {
                const omitted = runs.reduce((sum, run) => sum + (run.omittedLines || 0), 0);
                status.textContent = count(found.length, "line") + (found.length === lines.length ? "" : ` of ${lines.length.toLocaleString("en")}`)
                    + (omitted ? `; ${count(omitted, "earlier line")} not in this report` : "");
                space.style.height = found.length * rowHeight + "px";
                if (isLive && follow.checked) box.scrollTop = found.length * rowHeight;
                render();
                // A plot of thousands of lines is drawn once a second.
                if (performance.now() - plottedAt < 1000 && isLive) return;
                plottedAt = performance.now();
                plotLines();
            }
            // Adds lines of the running app, and removes its oldest ones.
            function append(items) {
                for (const [time, level, context, text] of items) {
                    const line = add(time, level, context, text, runs.length - 1);
                    if (matches(line)) found.push(line);
                }
                const excess = lines.length - ownStart - content.live.lineLimit;
                if (excess > 500) {
                    const removed = new Set(lines.splice(ownStart, excess));
                    const first = found.findIndex(line => removed.has(line));
                    const count = found.reduce((sum, line) => sum + (removed.has(line) ? 1 : 0), 0);
                    if (first >= 0) found.splice(first, count);
                    if (first >= 0 && selected >= first) selected = Math.max(selected - count, -1);
                    if (first >= 0 && !follow.checked) box.scrollTop -= count * rowHeight;
                }
                if (!box.closest("[hidden]")) showFound();
            }
            function plotLines() {
                plot.replaceChildren();
                if (found.length < 2) return;
                let start = Infinity, end = -Infinity;
                for (const { time } of found) {
                    if (time < start) start = time;
                    if (time > end) end = time;
                }
                const width = Math.max(end - start, 1), slots = 100;
                const kinds = [["Lines", "good"], ["Warnings", "warning"], ["Errors", "error"]];
                const counts = kinds.map(() => new Array(slots).fill(0));
                for (const { time, level } of found) {
                    const slot = Math.min(Math.floor((time - start) / width * slots), slots - 1);
                    counts[0][slot]++;
                    if (level === 3) counts[1][slot]++;
                    if (level >= 0 && level < 3) counts[2][slot]++;
                }
                for (const [index, [title, kind]] of kinds.entries()) {
                    const sum = counts[index].reduce((a, b) => a + b, 0);
                    const items = counts[index].flatMap((number, slot) => number ? [{ from: slot / slots, to: (slot + 0.8) / slots, kind,
                        title: `${count(number, "line")} from ${clock(start + slot / slots * width)}` }] : []);
                    plot.append(lane(`${title}: ${sum.toLocaleString("en")}`, items, `${title}: ${sum} from ${clock(start)} to ${clock(end)}`));
                }
            }
            function render() {
                const first = Math.max(Math.floor(box.scrollTop / rowHeight) - 5, 0);
                const last = Math.min(first + Math.ceil((box.clientHeight || 600) / rowHeight) + 10, found.length);
                const rows = [];
                for (let index = first; index < last; index++) {
                    const { time, level, context, text } = found[index];
                    const kind = level >= 0 && level < 3 ? "error" : level === 3 ? "warning" : "";
                    const row = make("div", { class: "row", role: "option", id: "line-" + index, "aria-setsize": found.length,
                        "aria-posinset": index + 1, "aria-selected": index === selected },
                        make("span", { class: "date" }, clock(time).slice(0, 10)), make("span", {}, clock(time).slice(11)),
                        make("span", { class: "level " + kind }, levelNames[level] ?? "?"),
                        make("span", { class: "context" }, context),
                        make("span", { class: "text" }, text.length > 1000 ? text.slice(0, 1000) + "…" : text));
                    row.style.top = index * rowHeight + "px";
                    rows.push(row);
                }
                space.replaceChildren(...rows);
            }
            function choose(index) {
                if (!found.length) return;
                selected = Math.max(0, Math.min(index, found.length - 1));
                const top = selected * rowHeight;
                if (top < box.scrollTop) box.scrollTop = top;
                else if (top + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + rowHeight - box.clientHeight;
                render();
                box.setAttribute("aria-activedescendant", "line-" + selected);
                const line = found[selected];
                detail.replaceChildren(
                    make("p", {}, `${clock(line.time)} UTC, ${levelNames[line.level] ?? "unknown level"}, `
                        + `context ${line.context || "none"}, run ${runName(runs[line.run])}`),
                    make("pre", { tabindex: "0", "aria-label": "Text of the line" }, line.text));
            }
            let isWaiting = false;
            box.addEventListener("scroll", () => {
                if (isWaiting) return;
                isWaiting = true;
                requestAnimationFrame(() => {
                    isWaiting = false;
                    render();
                });
            });
            box.addEventListener("click", event => {
                const row = event.target.closest(".row");
                if (!row) return;
                follow.checked = false;
                choose(Number(row.id.slice(5)));
            });
            box.addEventListener("wheel", () => { follow.checked = false; }, { passive: true });
            box.addEventListener("keydown", event => {
                const page = Math.max(Math.floor(box.clientHeight / rowHeight) - 1, 1);
                const next = { ArrowDown: selected + 1, ArrowUp: selected - 1, PageDown: selected + page, PageUp: selected - page,
                    Home: 0, End: found.length - 1 }[event.key];
                if (next === undefined) return;
                event.preventDefault();
                follow.checked = false;
                choose(next);
            });
            for (const input of [run, level, context, text, from, to]) {
                input.addEventListener("input", () => {
                    const start = performance.now();
                    apply();
                    performance.measure("filter", { start });
                });
            }
            selectRun = index => {
                run.value = index;
                apply();
            };
            panel.append(
                make("div", { class: "filters" }, field("Run", run), field("Least severe level", level), field("Context", context),
                    field("Text", text), field("From (UTC)", from), field("To (UTC)", to), isLive ? field("Follow new lines", follow) : null),
                names, status, plot, box, detail);
            apply();
            return isLive ? append : undefined;
        }
        function showRuns(panel, runs) {
            table(panel, { label: "Runs", noun: "run", items: runs.map((run, index) => ({ ...run, lines: list(run.lines).length, index })),
                columns: [
                    ["Run", run => run.number], ["Started (UTC)", run => clock(run.startedAt)], ["Application", run => run.application ?? "?"],
                    ["Process", run => run.processID], ["Outcome", run => run.outcome],
                    ["Lines", run => run.lines + (run.omittedLines ? ` and ${run.omittedLines} not in this report` : "")],
                    ["Lost lines", run => run.lostLines],
                    ["Log", run => {
                        const open = button("Show", () => {
                            select("Log");
                            selectRun(run.index);
                        });
                        open.setAttribute("aria-label", "Show the log of run " + run.number);
                        return open;
                    }],
                ] });
        }
        """#
}
