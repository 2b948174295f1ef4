extension PageScript {
    /// The log: its filters, and a list that has elements for the visible lines only.
    static let log = #"""
        // Shows the log with a run and a level, from another section.
        let selectLines = () => {};
        function showLog(panel) {
            const run = make("select", {}, make("option", { value: "" }, "All runs"),
                runs.map((run, index) => make("option", { value: index }, runName(run))));
            const level = make("select", {}, make("option", { value: "" }, "All levels"),
                levelNames.map((name, index) => make("option", { value: index }, name)));
            const context = make("input", { list: "contexts" });
            const text = make("input", { type: "search" });
            const [from, to] = ["from", "to"].map(() => make("input", { placeholder: "2026-11-25 12:00:00" }));
            const status = make("p", { role: "status", class: "quiet" });
            const plot = make("div", { class: "plot" });
            const rowHeight = 24;
            const space = make("div", { role: "presentation" });
            const box = make("div", { class: "list", role: "listbox", "aria-label": "Log lines", tabindex: "0" }, space);
            const detail = make("section", { class: "line-detail", "aria-label": "Selected line", "aria-live": "polite" });
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
                const all = found.length === lines.length ? "" : ` of ${lines.length.toLocaleString("en")}`;
                status.textContent = count(found.length, "line") + all
                    + (omitted ? `; ${count(omitted, "earlier line")} not in this report` : "");
                space.style.height = found.length * rowHeight + "px";
                if (isLive && follow.checked) box.scrollTop = found.length * rowHeight;
                render();
                // A plot of thousands of lines is drawn once a second.
                if (performance.now() - plottedAt < 1000 && isLive) return;
                plottedAt = performance.now();
                const kinds = [["Errors", "error"], ["Warnings", "warning"], ["Other lines", "plain"]];
                plot.replaceChildren(...found.length < 2 ? [] : [chart(kinds, histogram(found, kinds, 120,
                    ({ level }) => isError(level) ? 0 : isWarning(level) ? 1 : 2))]);
            }
            // Shows lines that were added and removed.
            function change({ added, removed }) {
                found.push(...added.filter(matches));
                if (removed) {
                    const first = found.findIndex(line => removed.has(line));
                    const count = found.reduce((sum, line) => sum + (removed.has(line) ? 1 : 0), 0);
                    if (first >= 0) found.splice(first, count);
                    if (first >= 0 && selected >= first) selected = Math.max(selected - count, -1);
                    if (first >= 0 && !follow.checked) box.scrollTop -= count * rowHeight;
                }
                if (!box.closest("[hidden]")) showFound();
            }
            function render() {
                const first = Math.max(Math.floor(box.scrollTop / rowHeight) - 5, 0);
                const last = Math.min(first + Math.ceil((box.clientHeight || 600) / rowHeight) + 10, found.length);
                const rows = [];
                for (let index = first; index < last; index++) {
                    const { time, level, context, text } = found[index];
                    const kind = isError(level) ? "error" : isWarning(level) ? "warning" : "";
                    const row = make("div", { class: "row " + kind, role: "option", id: "line-" + index, "aria-setsize": found.length,
                        "aria-posinset": index + 1, "aria-selected": index === selected },
                        make("span", { class: "date" }, clock(time).slice(0, 10)), make("span", { class: "time" }, clock(time).slice(11)),
                        make("span", { class: "level" }, levelNames[level] ?? "?"),
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
                const line = found[selected];
                detail.replaceChildren(
                    make("p", { class: "quiet" }, `${clock(line.time)} UTC, ${levelNames[line.level] ?? "unknown level"}, `
                        + `context ${line.context || "none"}, run ${runName(runs[line.run])}`),
                    preformatted("Text of the line", line.text));
                // The text makes the list smaller.
                const top = selected * rowHeight;
                if (top < box.scrollTop) box.scrollTop = top;
                else if (top + rowHeight > box.scrollTop + box.clientHeight) box.scrollTop = top + rowHeight - box.clientHeight;
                render();
                box.setAttribute("aria-activedescendant", "line-" + selected);
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
            selectLines = (runIndex, levelIndex) => {
                for (const input of [context, text, from, to]) input.value = "";
                run.value = runIndex;
                level.value = levelIndex;
                apply();
            };
            // A narrow page shows the text and the level only, until the button is used.
            const more = button("All filters", () => {
                const isOpen = panel.parentElement.classList.toggle("all");
                more.setAttribute("aria-expanded", String(isOpen));
            }, { class: "more-filters", "aria-expanded": "false" });
            const filters = make("div", { class: "toolbar filters" }, field("Text", text, "search"), field("Least severe level", level), more,
                field("Run", run, "rare"), field("Context", context, "rare"),
                field("From (UTC)", from, "rare"), field("To (UTC)", to, "rare"),
                isLive ? field("Follow new lines", follow, "check") : null, status);
            panel.classList.add("fills");
            panel.append(filters, contextNames, plot, box, detail);
            apply();
            return change;
        }
        function showRuns(panel) {
            const items = runs.map((run, index) => ({ ...run, lines: list(run.lines).length, index }));
            return table(panel, { label: "Runs", noun: "run", items, columns: [
                { title: "Run", key: run => run.number, cell: runTitle },
                { title: "Verdict", key: run => run.outcome, cell: run => pill(run.outcome, verdict(run.outcome)) },
                { title: "Started (UTC)", key: run => run.startedAt, cell: run => clock(run.startedAt) },
                { title: "Application", key: run => run.application ?? "?", },
                { title: "Process", key: run => run.processID, isNumber: true },
                { title: "Lines", key: run => run.lines, isNumber: true,
                    cell: run => run.lines.toLocaleString("en") + (run.omittedLines ? ` and ${run.omittedLines} not in this report` : "") },
                { title: "Lost lines", key: run => run.lostLines, isNumber: true },
                { title: "Log", key: run => run.index, cell: run => button("Show", () => {
                    visit("Log");
                    selectLines(run.index, "");
                }, { "aria-label": "Show the log of run " + run.number }) },
            ] }).update;
        }
        """#
}
