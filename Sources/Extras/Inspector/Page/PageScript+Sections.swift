extension PageScript {
    /// The waterfall of requests.
    static let requests = #"""
        function showRequests(panel, archive) {
            let width = 1;
            // The requests with their places on a line from the first start to the last end.
            function placed() {
                const entries = list(archive.log?.entries);
                const starts = entries.map(entry => Date.parse(entry.startedDateTime) || 0);
                const start = starts.reduce((a, b) => Math.min(a, b), Infinity);
                const end = entries.reduce((last, entry, index) => Math.max(last, starts[index] + (entry.time || 0)), start + 1);
                width = Math.max(end - start, 1);
                return newestFirst(entries.map((entry, index) => ({ ...entry, from: starts[index] - start, number: entry._number ?? index + 1 })));
            }
            panel.append(button("Download HAR", () => {
                const url = URL.createObjectURL(new Blob([JSON.stringify(archive, null, 2)], { type: "application/json" }));
                const link = make("a", { download: "requests.har" });
                link.href = url;
                link.click();
                setTimeout(() => URL.revokeObjectURL(url), 10_000);
            }));
            const update = table(panel, { label: "Requests", noun: "request", items: placed(),
                columns: [
                    ["Request", entry => `${entry.request?.method} ${entry.request?.url}`],
                    ["Status", entry => {
                        const status = entry.response?.status ?? 0;
                        if (entry._isRunning) return "running";
                        return make("span", { class: status >= 400 || status < 100 ? "error" : null }, status + (status >= 400 ? " failed" : ""));
                    }],
                    ["Start", entry => milliseconds(entry.from)], ["Duration", entry => milliseconds(entry.time || 0)],
                    ["Waterfall", entry => spans([{ from: entry.from / width, to: (entry.from + (entry.time || 0)) / width,
                        kind: entry.response?.status >= 400 ? "error" : null }],
                        `from ${milliseconds(entry.from)} to ${milliseconds(entry.from + (entry.time || 0))} of ${milliseconds(width)}`)],
                ],
                detailLabel: entry => `request ${entry.number}`,
                detail: ({ request = {}, response = {} }) => make("div", {},
                    make("h2", {}, "Request"), head(request.headers), body(request.postData?.text, request.postData?._encoding),
                    make("h2", {}, "Response"), response._error ? make("p", { class: "error" }, response._error) : null,
                    head(response.headers), body(response.content?.text, response.content?.encoding)) });
            return newArchive => {
                archive = newArchive;
                update(placed());
            };
        }
        const head = fields => list(fields).length
            ? make("ul", {}, list(fields).map(({ name, value }) => make("li", { class: "data" }, make("strong", {}, name), ": ", value)))
            : make("p", { class: "quiet" }, "No fields");
        function body(text, encoding) {
            if (!text) return make("p", { class: "quiet" }, "No body");
            if (encoding === "base64") return make("p", { class: "quiet" }, `Binary body, ${count(Math.floor(text.length * 3 / 4), "byte")}`);
            try { text = JSON.stringify(JSON.parse(text), null, 2); } catch { /* The body isn't JSON. */ }
            return make("pre", { tabindex: "0", "aria-label": "Body" }, text.length > 100_000 ? text.slice(0, 100_000) + "…" : text);
        }
        """#

    /// Configuration, strings, hosts, routes, services and events.
    static let sections = #"""
        const place = entry => `${entry.location} (${entry.layer})`;
        const items = values => list(values).length ? make("ul", {}, list(values).map(value => make("li", { class: "data" }, value))) : "";
        // A report has the order of the recording; a running app shows the newest items first.
        const newestFirst = items => isLive ? [...items].reverse() : items;
        function showConfiguration(panel, values) {
            return table(panel, { label: "Configuration", noun: "key", items: values, columns: [
                ["Key", value => value.key], ["Value", value => value.text + (value.isSecret ? " (secret)" : "")],
                ["Origin", value => value.origin ? place(value.origin) : ""],
                ["Overridden and merged", value => items([
                    ...list(value.merged).map(entry => `merged with ${place(entry)}`),
                    ...list(value.overridden).map(entry => `over ${entry.text} from ${place(entry)}`)])],
            ] });
        }
        function showStrings(panel, { base, brands, languages }) {
            const cell = ({ total, missing }) => {
                const own = total - missing.length;
                const text = `${own} of ${total}` + (missing.length ? `, ${missing.length} missing` : "");
                return make("span", {}, text, spans([{ from: 0, to: total ? own / total : 1, kind: missing.length ? "warning" : "good" }], text));
            };
            const title = brand => brand || "No brand";
            table(panel, { label: "Coverage of strings", noun: "language", items: languages, columns: [
                ["Language", language => language.tag + (language.tag === base ? " (base)" : "")],
                ...brands.map((brand, index) => [title(brand), language => cell(language.cells[index])]),
            ], detailLabel: language => `language ${language.tag}`, detail: language => make("div", {}, brands.map((brand, index) => [
                make("h2", { class: "data" }, title(brand)),
                items(language.cells[index].missing) || make("p", { class: "quiet" }, "No missing strings")])) });
        }
        function showHosts(panel, hosts) {
            return table(panel, { label: "Hosts", noun: "host", items: hosts, columns: [
                ["Host", host => host.host], ["Requests go to", host => host.target],
                ["Environments", host => items(host.environments.map(({ key, host, isSelected }) =>
                    `${isSelected ? "✓ " : ""}${key}: ${host}${isSelected ? " (selected)" : ""}`))],
            ] });
        }
        function showRoutes(panel, routes) {
            const numbered = routes => routes.map((route, index) => ({ ...route, number: index + 1 }));
            panel.append(make("p", { class: "quiet" }, "A URL has the first route that matches."));
            const update = table(panel, { label: "Routes", noun: "route", items: numbered(routes), columns: [
                ["Precedence", route => route.number], ["Pattern", route => route.pattern], ["Name", route => route.name ?? ""],
                ["Location", route => route.location ?? ""],
            ] });
            return routes => update(numbered(routes));
        }
        function showServices(panel, services) {
            const graph = make("div");
            panel.append(graph);
            drawServices(graph, services);
            const update = table(panel, { label: "Services", noun: "service", items: services, columns: [
                ["Service", service => service.name], ["State", service => service.state], ["Needs", service => list(service.needs).join(", ")],
            ] });
            return services => {
                graph.replaceChildren();
                drawServices(graph, services);
                update(services);
            };
        }
        function drawServices(panel, services) {
            const known = new Map(services.map(service => [service.name, service]));
            const depths = new Map(services.map(service => [service.name, 0]));
            // Needs are left of the services that need them; a cycle ends with the number of services.
            for (let turn = 0, isChanged = true; isChanged && turn < services.length; turn++) {
                isChanged = false;
                for (const { name, needs } of services) {
                    const depth = Math.max(0, ...list(needs).map(need => (depths.get(need) ?? -1) + 1));
                    if (depth > depths.get(name) && depth < services.length) {
                        depths.set(name, depth);
                        isChanged = true;
                    }
                }
            }
            const columns = [], places = new Map();
            for (const { name } of services) {
                const depth = depths.get(name);
                columns[depth] = (columns[depth] ?? 0) + 1;
                places.set(name, { x: 20 + depth * 220, y: 20 + (columns[depth] - 1) * 60 });
            }
            const lines = services.flatMap(({ name, needs }) => list(needs).filter(need => known.has(need)).map(need => {
                const from = places.get(need), to = places.get(name);
                const [x, y] = [to.x, to.y + 20];
                return [draw("line", { x1: from.x + 160, y1: from.y + 20, x2: x - 6, y2: y }),
                    draw("polygon", { points: `${x},${y} ${x - 8},${y - 4} ${x - 8},${y + 4}` })];
            }));
            const short = text => shown(text).length > 22 ? shown(text).slice(0, 21) + "…" : text;
            const boxes = services.map(({ name, state }) => {
                const { x, y } = places.get(name);
                return draw("g", {}, draw("title", {}, `${name}: ${state}`), draw("rect", { x, y, width: 160, height: 40, rx: 4 }),
                    draw("text", { x: x + 8, y: y + 17 }, short(name)), draw("text", { x: x + 8, y: y + 33 }, short(state)));
            });
            const [width, height] = [columns.length * 220, Math.max(...Array.from(columns, column => column ?? 0), 1) * 60 + 20];
            panel.append(make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Graph of services, which scrolls" },
                draw("svg", { class: "graph", width, height, role: "img", "aria-label": `Graph of ${count(services.length, "service")}; the table has the same contents` },
                    lines, boxes)));
        }
        function showEvents(panel, events) {
            const plot = make("div");
            panel.append(plot);
            plotEvents(plot, events);
            const update = table(panel, { label: "Events", noun: "event", items: newestFirst(events), columns: [
                ["Event", event => event.number], ["Time (UTC)", event => Number.isFinite(event.time) ? clock(event.time) : ""],
                ["Name", event => event.name], ["Payload", event => event.payload ?? ""], ["Source", event => event.source ?? ""],
                ["Location", event => event.location ?? ""],
            ] });
            return events => {
                plot.replaceChildren();
                plotEvents(plot, events);
                update(newestFirst(events));
            };
        }
        function plotEvents(panel, events) {
            const times = events.map(event => event.time).filter(time => Number.isFinite(time));
            const start = times.reduce((a, b) => Math.min(a, b), Infinity), end = times.reduce((a, b) => Math.max(a, b), start + 1);
            const lanes = new Map();
            for (const event of events) {
                if (Number.isFinite(event.time)) lanes.set(event.name, [...(lanes.get(event.name) ?? []), event]);
            }
            const busiest = [...lanes].sort((a, b) => b[1].length - a[1].length).slice(0, 30);
            if (busiest.length) {
                panel.append(make("p", { class: "quiet" }, `From ${clock(start)} to ${clock(end)} UTC`
                    + (lanes.size > busiest.length ? `, the ${busiest.length} busiest of ${lanes.size} names` : "")));
            }
            for (const [name, all] of busiest) {
                // One mark for the events that are at the same place.
                const marks = new Map(all.map(event => [Math.round((event.time - start) / (end - start) * 1000), event]));
                panel.append(lane(`${name}: ${all.length}`, [...marks].map(([x, event]) => ({ from: x / 1000, to: x / 1000 + 0.004,
                    title: clock(event.time) })), `${name}: ${count(all.length, "event")}`));
            }
        }
        """#
}
