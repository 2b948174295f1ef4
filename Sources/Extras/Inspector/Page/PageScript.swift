internal import AshlarCore
internal import AshlarLogging

/// The script of the page.
///
/// It inserts texts of the document by `append` of text only; attributes with names such as `href`, `src`, `style` or `on…`
/// never have a value of the document.
enum PageScript {
    static let text = whole(live: ("const controls = {}, ownSections = [], isLive = false;", ""))

    /// The script of the page of a running app, which also connects to the app.
    static let liveText = whole(live: (controls, connection))

    private static func whole(live: (before: String, after: String)) -> String {
        """
        (() => {
        "use strict";
        const levelNames = [\(LogLevel.allCases.map { "\"\($0)\"" }.joined(separator: ", "))];
        const content = JSON.parse(document.getElementById("data").textContent);
        \(elements)
        \(live.before)
        \(log)
        \(requests)
        \(sections)
        \(tabs)
        \(live.after)
        })();
        """
    }

    /// Creation of elements, texts and small plots.
    private static let elements = #"""
        const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
        // Characters that can't be seen, or that change the order of others, are shown by their numbers.
        const shown = text => String(text ?? "").replace(unseen, c => "\\u{" + c.codePointAt(0).toString(16) + "}");
        function fill(element, attributes, children) {
            for (const [name, value] of Object.entries(attributes)) {
                if (value !== null && value !== undefined) element.setAttribute(name, value);
            }
            for (const child of children.flat(Infinity)) {
                if (child !== null && child !== undefined) element.append(child instanceof Node ? child : shown(child));
            }
            return element;
        }
        const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
        const draw = (tag, attributes = {}, ...children) =>
            fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
        const button = (label, action) => {
            const element = make("button", { type: "button" }, label);
            element.addEventListener("click", action);
            return element;
        };
        const field = (label, input) => make("label", {}, label, input);
        const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
        const list = value => Array.isArray(value) ? value : [];
        // A time in UTC.
        function clock(microseconds) {
            const date = new Date(microseconds / 1000);
            return isNaN(date) ? "" : date.toISOString().replace("T", " ").replace("Z", "");
        }
        const milliseconds = value => value >= 1000 ? (value / 1000).toFixed(2) + " s" : value.toFixed(value < 10 ? 1 : 0) + " ms";
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
        // A table with a filter; `detail` returns the element that a row's button shows. Returns a function that replaces the items.
        function table(panel, { label, noun, columns, items, detail, detailLabel }) {
            const page = 300, open = new Set();
            const texts = () => items.map(item => JSON.stringify(item).toLowerCase());
            const status = make("p", { role: "status", class: "quiet" });
            const rows = make("div", { role: "rowgroup" });
            const filter = make("input", { type: "search" });
            const more = button("Show more", () => add());
            let found = [], next = 0, searched = texts();
            function row(item) {
                const cells = columns.map(([title, value]) =>
                    make("span", { role: "cell", class: "data", "data-title": shown(title) }, value(item)));
                const line = make("div", { role: "row" }, cells);
                if (!detail) return [line];
                const box = make("div", { class: "detail" });
                const name = detailLabel(item);
                const toggle = button("Details", () => showDetail(box.hidden));
                function showDetail(isOpen) {
                    box.hidden = !isOpen;
                    toggle.setAttribute("aria-expanded", String(isOpen));
                    if (isOpen) open.add(name);
                    else open.delete(name);
                    if (isOpen && !box.firstChild) box.append(detail(item));
                }
                showDetail(open.has(name));
                toggle.setAttribute("aria-label", "Details of " + shown(name));
                line.append(make("span", { role: "cell", "data-title": "More" }, toggle));
                return [line, box];
            }
            function add() {
                rows.append(...found.slice(next, next + page).flatMap(row));
                next += page;
                more.hidden = next >= found.length;
            }
            function apply() {
                const wanted = filter.value.toLowerCase();
                found = items.filter((_, index) => searched[index].includes(wanted));
                const text = count(found.length, noun);
                if (status.textContent !== text) status.textContent = text;
                rows.replaceChildren();
                next = 0;
                add();
            }
            filter.addEventListener("input", apply);
            const titles = [...columns.map(([title]) => title), ...(detail ? ["More"] : [])];
            panel.append(
                make("div", { class: "filters" }, field("Filter", filter)), status,
                make("div", { role: "table", "aria-label": label },
                    make("div", { role: "rowgroup", class: "head" }, make("div", { role: "row" },
                        titles.map(title => make("span", { role: "columnheader", class: "data" }, title)))), rows),
                more);
            apply();
            return newItems => {
                const active = rows.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
                const wanted = next;
                items = newItems;
                searched = texts();
                apply();
                while (next < wanted && next < found.length) add();
                if (active !== null) [...rows.querySelectorAll("button")].find(one => one.getAttribute("aria-label") === active)?.focus();
            };
        }
        """#

    /// The tabs; a panel is filled when it is shown for the first time.
    private static let tabs = #"""
        const sections = [
            ["Log", content.runs, showLog], ["Runs", content.runs, showRuns], ["Requests", content.requests, showRequests],
            ...ownSections,
            ["Configuration", content.configuration, showConfiguration], ["Strings", content.strings, showStrings],
            ["Hosts", content.hosts, showHosts], ["Routes", content.routes, showRoutes],
            ["Services", content.services, showServices], ["Events", content.events, showEvents],
        ].filter(([, value]) => value !== null && value !== undefined);
        const bar = make("div", { class: "tabs", role: "tablist", "aria-label": "Sections" });
        const main = make("main");
        const tabs = sections.map(([name, value, show]) => {
            const panel = make("section", { role: "tabpanel", id: "panel-" + name, "aria-labelledby": "tab-" + name, tabindex: "0",
                hidden: "" });
            const box = make("div");
            const tab = button(name, () => select(name));
            for (const [key, text] of [["role", "tab"], ["id", "tab-" + name], ["aria-controls", "panel-" + name]]) {
                tab.setAttribute(key, text);
            }
            bar.append(tab);
            main.append(panel);
            return { name, value, show, panel, box, tab };
        });
        // Shows a section with its current value: for the first time, by its own function, or again.
        function refresh(one) {
            if (!one.panel.firstChild) {
                if (controls[one.name]) one.panel.append(...controls[one.name](one.value));
                one.panel.append(one.box);
                one.update = one.show(one.box, one.value);
            } else if (one.isChanged) {
                if (one.update) one.update(one.value);
                else {
                    one.box.replaceChildren();
                    one.show(one.box, one.value);
                }
            }
            one.isChanged = false;
        }
        function select(name) {
            for (const one of tabs) {
                const isSelected = one.name === name;
                one.tab.setAttribute("aria-selected", String(isSelected));
                one.tab.tabIndex = isSelected ? 0 : -1;
                one.panel.hidden = !isSelected;
                if (isSelected) refresh(one);
            }
        }
        bar.addEventListener("keydown", event => {
            const index = tabs.findIndex(({ tab }) => tab === document.activeElement);
            const next = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 }[event.key];
            if (next === undefined) return;
            event.preventDefault();
            const { name, tab } = tabs[(next + tabs.length) % tabs.length];
            select(name);
            tab.focus();
        });
        document.title = shown(content.title);
        const header = make("header", {}, make("h1", { class: "data" }, content.title),
            make("p", { class: "quiet" }, "Created " + clock(content.createdAt) + " UTC"));
        document.body.append(header, bar, main);
        if (tabs.length) select(tabs[0].name);
        else main.append("The document has no sections.");
        requestAnimationFrame(() => performance.mark("shown"));
        """#
}
