extension PageScript {
    /// Hosts, routes and events.
    static let sections = #"""
        function showHosts(panel, hosts) {
            return table(panel, { label: "Hosts", noun: "host", items: hosts, columns: [
                { title: "Host", isWide: true, key: host => host.host, style: "name" },
                { title: "Requests go to", isWide: true, key: host => host.target },
                { title: "Environments", isWide: true, key: host => list(host.environments).map(({ host }) => host).join(),
                    cell: host => items(list(host.environments).map(({ key, host, isSelected }) =>
                        [`${key}: ${host}`, isSelected ? [" ", pill("selected", "active")] : null])) },
            ] }).update;
        }
        function showRoutes(panel, routes) {
            const numbered = routes => routes.map((route, index) => ({ ...route, number: index + 1 }));
            panel.append(quiet("A URL has the first route that matches."));
            const all = table(panel, { label: "Routes", noun: "route", items: numbered(routes), columns: [
                { title: "Precedence", isNarrow: true, key: route => route.number },
                { title: "Pattern", isWide: true, key: route => route.pattern, style: "code" },
                { title: "Name", key: route => route.name },
                { title: "Location", isWide: true, key: route => route.location, style: "quiet" },
            ] });
            return routes => all.update(numbered(routes));
        }
        function showEvents(panel, events) {
            const plot = make("div", { class: "lanes" });
            panel.append(plot);
            plotEvents(plot, events);
            const timeOf = event => Number.isFinite(event.time) ? clock(event.time) : "";
            const short = text => text.length > 200 ? text.slice(0, 200) + "…" : text;
            const all = table(panel, { label: "Events", noun: "event", items: newestFirst(events), kind: "events",
                name: event => `event ${event.number}`,
                open: event => [event.name, facts([["Number", event.number], ["Time (UTC)", timeOf(event)],
                    ["Source", event.source], ["Location", event.location]]),
                make("h3", {}, "Payload"), event.payload ? body(event.payload) : quiet("None")],
                columns: [
                    { title: "Name", isWide: true, key: event => event.name },
                    { title: "Event", isNumber: true, key: event => event.number },
                    { title: "Time (UTC)", key: event => event.time, cell: event => timeOf(event).slice(11) },
                    { title: "Payload", isWide: true, key: event => short(event.payload ?? ""), style: "code" },
                    { title: "Source", key: event => event.source },
                    { title: "Location", key: event => event.location, style: "quiet" },
                ] });
            return events => {
                plot.replaceChildren();
                plotEvents(plot, events);
                all.update(newestFirst(events));
            };
        }
        function plotEvents(panel, events) {
            const times = events.map(event => event.time).filter(time => Number.isFinite(time));
            const start = times.reduce((a, b) => Math.min(a, b), Infinity), end = times.reduce((a, b) => Math.max(a, b), start + 1);
            const lanes = new Map();
            for (const event of events) {
                if (!Number.isFinite(event.time)) continue;
                if (lanes.has(event.name)) lanes.get(event.name).push(event);
                else lanes.set(event.name, [event]);
            }
            const busiest = [...lanes].sort((a, b) => b[1].length - a[1].length).slice(0, 12);
            for (const [name, all] of busiest) {
                // One mark for the events that are at the same place.
                const marks = new Map(all.map(event => [Math.round((event.time - start) / (end - start) * 1000), event]));
                panel.append(lane(`${name}: ${all.length}`, [...marks].map(([x, event]) => ({ from: x / 1000, to: x / 1000 + 0.004,
                    title: clock(event.time) })), `${name}: ${count(all.length, "event")}`));
            }
            if (busiest.length) {
                panel.append(quiet(`From ${clock(start)} to ${clock(end)} UTC`
                    + (lanes.size > busiest.length ? `, the ${busiest.length} busiest of ${lanes.size} names` : "")));
            }
        }
        """#
}
