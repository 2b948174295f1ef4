extension PageScript {
    /// The strings: a matrix of keys and languages, with those of each brand.
    static let strings = #"""
        // Shows the missing strings only, from another section.
        let showMissing = () => {};
        // The cells of a row, in the order of the languages and their brands: { tag, brand, title, missing, total, index }.
        const languageCells = ({ brands, languages }) => list(languages).flatMap((language, row) => list(brands).map((brand, column) => ({
            tag: language.tag, brand, title: brand ? `${language.tag} · ${brand}` : language.tag, fallbacks: list(language.fallbacks),
            missing: list(language.cells?.[column]?.missing), total: language.cells?.[column]?.total ?? 0,
            index: row * brands.length + column })));
        const nameOf = ({ table, key }) => `${table}: ${key}`;
        // The keys with their own texts; an older document has the missing ones only.
        function keysOf(value) {
            if (value.keys) return value.keys.map(one => ({ ...one, name: nameOf(one) }));
            const names = [...new Set(languageCells(value).flatMap(cell => cell.missing))].sort();
            return names.map(name => ({ name, table: name.split(": ")[0], key: name.split(": ").slice(1).join(": "), texts: null }));
        }
        const states = { own: ["●", "has a text"], inherited: ["○", "inherits a text"], missing: ["✕", "missing"] };
        function showStrings(panel, value) {
            const onlyMissing = make("input", { type: "checkbox" });
            let cells = [], lost = [], brands = [], base = "";
            function read(value) {
                ({ brands, base } = value);
                cells = languageCells(value);
                lost = cells.map(cell => new Set(cell.missing));
                return keysOf(value);
            }
            function stateOf(one, { index }) {
                if (lost[index].has(one.name)) return "missing";
                return one.texts && one.texts[index] == null ? "inherited" : "own";
            }
            // The text that the app shows for a cell: its own, or that of the brand, of a wider language or of the base language.
            function textOf(one, { tag, brand, fallbacks }) {
                const at = (tag, brand) => cells.find(cell => cell.tag === tag && cell.brand === brand)?.index;
                const order = [brand, ...brand ? [""] : []].flatMap(brand => [tag, ...fallbacks, base].map(tag => at(tag, brand)));
                return order.map(index => one.texts?.[index]).find(text => text !== null && text !== undefined);
            }
            function detail(one, chosen) {
                const rows = cells.map(cell => {
                    const state = stateOf(one, cell), text = textOf(one, cell);
                    return make("div", { class: cell.index === chosen ? "language chosen" : "language" },
                        make("h3", { class: "data" }, cell.title, " ", state === "own" ? null : pill(state, state === "missing" ? "error" : "")),
                        text === undefined ? quiet("The document has no text.") : make("p", { class: "data" }, text),
                        state === "missing" && text !== undefined ? quiet(`Shown in ${base} instead`) : null);
                });
                return [facts([["Table", one.table]]), editor ? editor.text(one) : null, rows];
            }
            const open = (one, chosen) => [one.key, ...detail(one, chosen)];
            let all = null;
            const mark = cell => one => {
                const state = stateOf(one, cell), [sign, text] = states[state];
                return button(sign, () => all.show(one, cell.index), { class: "mark " + state,
                    "aria-label": shown(`${one.key} in ${cell.title}: ${text}`), title: shown(`${cell.title}: ${text}`) });
            };
            function build(value) {
                const keys = read(value);
                all = table(panel, { label: "Strings", noun: "key", items: keys, kind: "matrix", name: one => one.name, open,
                    options: [field("Missing only", onlyMissing, "check"), legendOfMarks()],
                    accepts: one => !onlyMissing.checked || cells.some(cell => lost[cell.index].has(one.name)),
                    empty: "Every language has every text.",
                    columns: [
                        { title: "Key", isWide: true, key: one => one.key, cell: one => [one.key,
                            one.table === "Localizable" ? null : make("span", { class: "quiet host" }, one.table)] },
                        ...cells.map(cell => ({ title: cell.title + (cell.tag === base && !cell.brand ? " (base)" : ""), cell: mark(cell),
                            key: one => Object.keys(states).indexOf(stateOf(one, cell)),
                            head: make("span", { class: "coverage" + (cell.missing.length ? " warning" : "") },
                                cell.missing.length ? `${cell.missing.length} of ${cell.total} missing` : "complete") })),
                    ] });
            }
            const legendOfMarks = () => make("p", { class: "legend quiet" }, Object.entries(states).map(([state, [sign, text]]) =>
                make("span", {}, make("span", { class: "mark " + state, "aria-hidden": "true" }, sign), text)));
            onlyMissing.addEventListener("input", () => all.apply());
            build(value);
            showMissing = () => {
                onlyMissing.checked = true;
                all.filter.value = "";
                all.apply();
            };
            // The numbers in the heads change with the texts.
            return value => {
                const wanted = all.filter.value, active = document.activeElement;
                const label = panel.contains(active) ? active.getAttribute("aria-label") : null, isFilter = active === all.filter;
                panel.replaceChildren();
                build(value);
                all.filter.value = wanted;
                all.apply();
                if (isFilter) all.filter.focus();
                else if (label) [...panel.querySelectorAll("button")].find(one => one.getAttribute("aria-label") === label)?.focus();
            };
        }
        """#
}
