extension PageScript {
    /// The overview: what needs attention, each a link into its section.
    static let overview = #"""
        // A card of the overview with links; each link has a key, so that the focus remains when the card is drawn again.
        function card(title, target, ...parts) {
            return make("section", { class: "card", "aria-label": title }, make("h2", {}, make("span", {}, title),
                link(title, () => visit(target), "All →", { class: "quiet-button", "aria-label": `Open ${target}` })), parts);
        }
        const link = (key, action, content, attributes = { class: "item" }) =>
            button(content, action, { ...attributes, "data-key": shown(key) });
        const links = items => make("div", { class: "links" }, items);
        const large = (number, noun, action) => link(noun, action, [make("strong", { class: number ? noun : "" },
            number.toLocaleString("en")), " " + noun + (number === 1 ? "" : "s")], { class: "item large" });

        function runsCard() {
            const counts = runs.map(() => ({ errors: 0, warnings: 0, lines: 0 }));
            for (const { level, run } of lines) {
                counts[run].lines++;
                if (isError(level)) counts[run].errors++;
                if (isWarning(level)) counts[run].warnings++;
            }
            const newest = runs.map((run, index) => ({ run, index })).sort((a, b) => a.run.number - b.run.number).slice(0, 4);
            return card("Runs", "Runs", links(newest.map(({ run, index }) => link("run " + run.number, () => {
                visit("Log");
                selectLines(index, "");
            }, [make("span", { class: "grow" }, make("strong", {}, runTitle(run)), make("span", { class: "quiet" }, clock(run.startedAt).slice(0, 19),
                ` · ${count(counts[index].lines, "line")}, ${count(counts[index].errors, "error")}, ${count(counts[index].warnings, "warning")}`)),
                pill(run.outcome, verdict(run.outcome))]))), runs.length ? null : quiet("No runs"));
        }
        function problemsCard() {
            // Those of the newest run that has lines.
            const numbers = new Set(lines.map(line => line.run));
            const index = [...numbers].sort((a, b) => runs[a].number - runs[b].number)[0] ?? "";
            const kinds = [["Errors", "error"], ["Warnings", "warning"]];
            const own = lines.filter(line => line.run === index);
            const found = histogram(own, kinds, 60, ({ level }) => isError(level) ? 0 : isWarning(level) ? 1 : -1);
            const open = level => () => {
                visit("Log");
                selectLines(index, level);
            };
            return card("Errors and warnings", "Log",
                make("div", { class: "figures" }, large(found.sums[0], "error", open(2)), large(found.sums[1], "warning", open(3))),
                found.sums[0] + found.sums[1] ? [chart(kinds, found), legend(kinds)]
                    : quiet(own.length ? `None in ${count(own.length, "line")}` : "No lines yet"));
        }
        function requestsCards(archive, target) {
            const entries = list(archive.log?.entries).map((entry, index) => ({ ...entry, number: entry._number ?? index + 1 }));
            const open = entry => () => {
                visit(target);
                showRequest[target]?.(entry.number);
            };
            const item = (entry, detail) => link(target + entry.number, open(entry),
                [make("span", { class: "grow data" }, make("strong", {}, entry.request?.method ?? ""), " ", address(entry).path), detail]);
            const slow = entries.filter(entry => entry.time > 0).sort((a, b) => b.time - a.time).slice(0, 5);
            const failed = entries.filter(hasFailed).reverse();
            const longest = slow[0]?.time ?? 1;
            return [
                card("Slowest requests", target, slow.length ? links(slow.map(entry => item(entry, make("span", { class: "measure" },
                    spans([{ from: 0, to: entry.time / longest, kind: hasFailed(entry) ? "error" : null }], milliseconds(entry.time)),
                    make("span", { class: "number" }, milliseconds(entry.time)))))) : quiet("No finished requests")),
                card("Failed requests", target, failed.length ? links(failed.slice(0, 5).map(entry =>
                    item(entry, [statusPill(entry), make("span", { class: "reason error" }, failure(entry))])))
                    : quiet(entries.length ? `None of ${count(entries.length, "request")}` : "No requests"),
                failed.length > 5 ? quiet(`and ${failed.length - 5} more`) : null),
            ];
        }
        function stringsCard(value) {
            const rows = languageCells(value).filter(({ missing }) => missing.length).sort((a, b) => b.missing.length - a.missing.length);
            const open = () => {
                visit("Strings");
                showMissing();
            };
            return card("Missing strings", "Strings", rows.length ? links(rows.slice(0, 6).map(({ title, total, missing }) => link(title, open,
                [make("span", { class: "grow data" }, title), make("span", { class: "measure" },
                    spans([{ from: 0, to: total ? (total - missing.length) / total : 1, kind: "good" }], `${total - missing.length} of ${total}`),
                    make("span", { class: "number warning" }, `${missing.length} missing`))])))
                : quiet(`None in ${count(list(value.languages).length, "language")}`));
        }
        function servicesCard(services) {
            const states = new Map();
            for (const { state } of services) states.set(state, (states.get(state) ?? 0) + 1);
            const failed = services.filter(({ state }) => state === "failed").slice(0, 5);
            return card("Services", "Services", services.length ? make("p", { class: "figures" }, [...states].map(([state, number]) =>
                link("state " + state, () => visit("Services"), pill(`${number} ${state}`, serviceKind(state)))))
                : quiet("No services"), links(failed.map(({ name, state, needs }) => link("service " + name, () => visit("Services"),
                [make("span", { class: "grow data" }, make("strong", {}, name), make("span", { class: "quiet" },
                    list(needs).length ? `needs ${needs.join(", ")}` : "")), pill(state, "error")]))));
        }
        function showOverview(panel) {
            function draw() {
                const active = panel.contains(document.activeElement) ? document.activeElement.getAttribute("data-key") : null;
                const value = name => section(name)?.value;
                panel.replaceChildren(make("div", { class: "cards" },
                    content.runs ? [runsCard(), problemsCard()] : null,
                    value("Requests") ? requestsCards(value("Requests"), "Requests") : null,
                    value("Strings") ? stringsCard(value("Strings")) : null,
                    value("Services") ? servicesCard(value("Services")) : null));
                if (active !== null) [...panel.querySelectorAll("[data-key]")].find(one => one.getAttribute("data-key") === active)?.focus();
            }
            draw();
            return draw;
        }
        """#
}
