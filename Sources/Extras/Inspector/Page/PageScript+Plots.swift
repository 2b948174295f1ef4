extension PageScript {
    /// Small plots: spans on a line, and bars over time.
    static let plots = #"""
        // Spans on a line from 0 to 1: { from, to, kind, title }.
        function spans(items, label) {
            const parts = items.map(({ from, to, kind, title }) => draw("rect", {
                x: (from * 1000).toFixed(2), width: Math.max((to - from) * 1000, 3).toFixed(2), height: 10, class: kind,
            }, title === undefined ? null : draw("title", {}, title)));
            return draw("svg", { class: "spans", viewBox: "0 0 1003 10", preserveAspectRatio: "none", role: "img",
                "aria-label": shown(label) }, parts);
        }
        const lane = (label, items, text) =>
            make("div", { class: "lane" }, make("span", { title: shown(label) }, label), spans(items, text ?? label));
        // The numbers of items in equal parts of a time: the items have a time and the index of their kind, or -1.
        function histogram(items, kinds, slots, kindOf) {
            let start = Infinity, end = -Infinity;
            for (const { time } of items) {
                if (time < start) start = time;
                if (time > end) end = time;
            }
            const width = Math.max(end - start, 1);
            const counts = kinds.map(() => new Array(slots).fill(0));
            for (const item of items) {
                const kind = kindOf(item);
                if (kind >= 0) counts[kind][Math.min(Math.floor((item.time - start) / width * slots), slots - 1)]++;
            }
            return { start, end, width, slots, counts, sums: counts.map(all => all.reduce((a, b) => a + b, 0)) };
        }
        // Bars over time, the first kind at the bottom; the height of a bar is the square root of its number, so that a single
        // error can be seen beside thousands of lines.
        function chart(kinds, { start, end, width, slots, counts, sums }) {
            const totals = counts[0].map((_, slot) => counts.reduce((sum, all) => sum + all[slot], 0));
            const highest = Math.sqrt(Math.max(...totals, 1));
            const bars = totals.flatMap((total, slot) => {
                let top = 100;
                return kinds.flatMap(([title, kind], index) => {
                    const number = counts[index][slot];
                    if (!number) return [];
                    const height = Math.max(Math.sqrt(total) / highest * 100 * number / total, 4);
                    top -= height;
                    return [draw("rect", { x: slot * 10, y: top.toFixed(1), width: 8, height: height.toFixed(1), class: kind },
                        draw("title", {}, `${title}: ${number.toLocaleString("en")} from ${clock(start + slot / slots * width)}`))];
                });
            });
            const text = kinds.map(([title], index) => `${title}: ${sums[index]}`).join(", ");
            return make("div", { class: "chart" },
                draw("svg", { viewBox: `0 -4 ${slots * 10} 104`, preserveAspectRatio: "none", role: "img",
                    "aria-label": `${text}, from ${clock(start)} to ${clock(end)}` }, bars),
                make("div", { class: "axis quiet" }, make("span", {}, clock(start).slice(0, 19)), make("span", {}, clock(end).slice(0, 19))));
        }
        const legend = kinds => make("p", { class: "legend quiet" }, kinds.map(([title, kind]) =>
            make("span", {}, draw("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" },
                draw("rect", { width: 10, height: 10, rx: 2, class: kind })), title)));
        """#
}
