extension PageScript {
    /// The services: a graph of what they need, and their table.
    static let services = #"""
        const serviceKind = state => ({ running: "good", starting: "active", stopping: "warning", failed: "error" })[state] ?? "";
        function showServices(panel, services) {
            const graph = make("div");
            panel.append(graph);
            drawServices(graph, services);
            const all = table(panel, { label: "Services", noun: "service", items: services, columns: [
                { title: "Service", key: service => service.name, style: "name" },
                { title: "State", key: service => service.state, cell: service => pill(service.state, serviceKind(service.state)) },
                { title: "Needs", isWide: true, key: service => list(service.needs).join(", ") },
                { title: "Needed by", isWide: true, key: service => neededBy(service).join(", ") },
            ] });
            function neededBy({ name }) {
                return services.filter(({ needs }) => list(needs).includes(name)).map(({ name }) => name);
            }
            return newServices => {
                services = newServices;
                graph.replaceChildren();
                drawServices(graph, services);
                all.update(services);
            };
        }
        // The layers of services: each is right of those that it needs; a cycle ends with the number of services.
        function layers(services) {
            const depths = new Map(services.map(service => [service.name, 0]));
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
            const found = Array.from({ length: Math.max(...depths.values()) + 1 }, () => []);
            for (const { name } of services) found[depths.get(name)].push(name);
            // A line through a layer has a place in it, so that it is beside the services.
            const lines = services.flatMap(({ name, needs }) => list(needs).filter(need => depths.has(need)).map(need => {
                const through = [];
                for (let depth = depths.get(need) + 1; depth < depths.get(name); depth++) {
                    const place = `\u0000${depth} ${need}`;
                    if (!found[depth].includes(place)) found[depth].push(place);
                    through.push(place);
                }
                return [need, ...through, name];
            }));
            return { columns: found, lines };
        }
        function drawServices(panel, services) {
            if (!services.length) return;
            const [boxWidth, boxHeight, gap, step] = [176, 48, 16, 240], { columns, lines } = layers(services), places = new Map();
            const highest = Math.max(...columns.map(layer => layer.length)), height = highest * (boxHeight + gap) + gap;
            for (const [column, layer] of columns.entries()) {
                // A short layer is in the middle.
                const top = (height - layer.length * (boxHeight + gap) + gap) / 2;
                for (const [row, name] of layer.entries()) places.set(name, { x: gap + column * step, y: top + row * (boxHeight + gap) });
            }
            const curves = lines.map(names => {
                const from = places.get(names[0]), to = places.get(names[names.length - 1]), y = to.y + boxHeight / 2;
                let path = `M${from.x + boxWidth},${from.y + boxHeight / 2}`, last = { x: from.x + boxWidth, y: from.y + boxHeight / 2 };
                function curve(x, y) {
                    const middle = (last.x + x) / 2;
                    path += ` C${middle},${last.y} ${middle},${y} ${x},${y}`;
                    last = { x, y };
                }
                for (const name of names.slice(1, -1)) {
                    const { x, y } = places.get(name);
                    curve(x, y + boxHeight / 2);
                    path += ` H${x + boxWidth}`;
                    last.x += boxWidth;
                }
                curve(to.x - 8, y);
                return [draw("path", { class: "need", d: path }),
                    draw("polygon", { points: `${to.x},${y} ${to.x - 8},${y - 4} ${to.x - 8},${y + 4}` })];
            });
            const short = text => shown(text).length > 20 ? shown(text).slice(0, 19) + "…" : text;
            const boxes = services.map(({ name, state }) => {
                const { x, y } = places.get(name);
                return draw("g", { class: "service " + serviceKind(state) }, draw("title", {}, `${name}: ${state}`),
                    draw("rect", { x, y, width: boxWidth, height: boxHeight, rx: 8 }),
                    draw("rect", { class: "state", x, y: y + 8, width: 4, height: boxHeight - 16, rx: 2 }),
                    draw("text", { class: "name", x: x + 16, y: y + 21 }, short(name)),
                    draw("text", { x: x + 16, y: y + 37 }, short(state)));
            });
            panel.append(make("div", { class: "scroll graph-box", tabindex: "0", role: "group", "aria-label": "Graph of services, which scrolls" },
                draw("svg", { class: "graph", width: columns.length * step - (step - boxWidth) + 2 * gap, height, role: "img",
                    "aria-label": `Graph of ${count(services.length, "service")}; the table has the same contents` }, curves, boxes)));
        }
        """#
}
