extension PageScript {
    /// Tables that filter and sort.
    static let table = #"""
        // Columns are { title, key, cell, style, head, isNumber, isWide }: `key` returns that by which items are sorted, `cell` what
        // an item shows, otherwise its key with a style. `open` returns the title and the elements of the side panel; the first cell is then a button. `options` are
        // controls beside the filter, `accepts` is a filter of these. Returns { update, apply, open }.
        function table(box, { label, noun, columns, items, name, open, options, accepts = () => true, kind, empty }) {
            const page = 300;
            let sorted = { column: -1, isAscending: true }, found = [], next = 0, searched = null;
            const status = make("p", { role: "status", class: "quiet" });
            const rows = make("tbody", { role: "rowgroup" });
            const filter = make("input", { type: "search" });
            const more = button("Show more", () => add());
            const heads = columns.map((column, index) => {
                const sort = button([column.title, make("span", { class: "arrow", "aria-hidden": "true" })], () => sortBy(index));
                return make("th", { role: "columnheader", scope: "col", class: cellClass(column), "aria-sort": "none" },
                    sort, column.head);
            });
            function cellClass({ isNumber, isWide, isNarrow }) {
                return ["data", isNumber ? "number" : "", isWide ? "wide" : "", isNarrow ? "narrow" : ""].join(" ").trim();
            }
            // A column is sorted up, then down, then not at all.
            function sortBy(column) {
                if (sorted.column !== column) sorted = { column, isAscending: true };
                else sorted = sorted.isAscending ? { column, isAscending: false } : { column: -1, isAscending: true };
                for (const [index, head] of heads.entries()) {
                    head.setAttribute("aria-sort", index !== sorted.column ? "none" : sorted.isAscending ? "ascending" : "descending");
                }
                apply();
            }
            function compare(first, second) {
                if (typeof first === "number" && typeof second === "number") return first - second;
                return String(first ?? "").localeCompare(String(second ?? ""), "en", { numeric: true });
            }
            function row(item) {
                const cells = columns.map((column, index) => {
                    let value = column.cell ? column.cell(item) : column.key(item) ?? "";
                    if (column.style && value !== "") value = make("span", { class: column.style }, value);
                    if (open && index === 0) {
                        value = button(value, () => show(item), { class: "link", "aria-label": "Show " + shown(name(item)) });
                    }
                    return make("td", { role: "cell", class: cellClass(column), "data-title": shown(column.title) }, value);
                });
                const line = make("tr", { role: "row" }, cells);
                if (open) {
                    line.classList.add("opens");
                    line.addEventListener("click", event => {
                        if (!event.target.closest("button, input, pre") && String(getSelection()) === "") show(item);
                    });
                }
                return line;
            }
            const named = label => [...rows.querySelectorAll("button")].find(one => one.getAttribute("aria-label") === label);
            function show(item, part) {
                const [title, ...children] = open(item, part);
                const active = rows.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
                // Updates of a running app replace the row, and with it the button that has opened the panel.
                side.open(title, children, () => (named(active) ?? named("Show " + shown(name(item))) ?? filter).focus());
            }
            function add() {
                rows.append(...found.slice(next, next + page).map(row));
                next += page;
                more.hidden = next >= found.length;
            }
            function apply() {
                const wanted = filter.value.toLowerCase();
                if (wanted) searched ??= new Map(items.map(item => [item, JSON.stringify(item).toLowerCase()]));
                found = items.filter(item => accepts(item) && (!wanted || searched.get(item).includes(wanted)));
                const key = columns[sorted.column]?.key;
                if (key) {
                    const keys = new Map(found.map(item => [item, key(item)]));
                    found.sort((a, b) => (sorted.isAscending ? 1 : -1) * compare(keys.get(a), keys.get(b)));
                }
                const text = count(found.length, noun) + (found.length < items.length ? ` of ${items.length.toLocaleString("en")}` : "");
                if (status.textContent !== text) status.textContent = text;
                rows.replaceChildren();
                next = 0;
                add();
                if (!found.length) {
                    const text = items.length ? "Nothing matches the filter." : empty ?? `No ${noun}s yet.`;
                    rows.append(make("tr", { class: "empty" }, make("td", { colspan: columns.length }, text)));
                }
            }
            filter.addEventListener("input", apply);
            const whole = make("table", { role: "table", "aria-label": label, class: kind },
                make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, heads)), rows);
            box.append(make("div", { class: "toolbar" }, field("Filter", filter, "search"), options, status),
                kind === "matrix" ? make("div", { class: "scroll" }, whole) : whole, more);
            apply();
            function update(newItems) {
                const active = rows.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
                const wanted = next;
                items = newItems;
                searched = null;
                apply();
                while (next < wanted && next < found.length) add();
                if (active !== null) named(active)?.focus();
            }
            return { update, apply, show, filter };
        }
        """#
}
