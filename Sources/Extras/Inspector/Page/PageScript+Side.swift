extension PageScript {
    /// The panel at the side, which shows one item of a section.
    static let sidePanel = #"""
        const side = (() => {
            const title = make("h2", { id: "side-title", class: "data" });
            const box = make("div", { class: "side-box" });
            const element = make("aside", { class: "side", role: "dialog", "aria-labelledby": "side-title", hidden: "" },
                make("div", { class: "side-head" }, title, button("Close", () => close(), { class: "quiet-button" })), box);
            let leave = () => {};
            // Shows an item; `focusBack` returns the focus to the element that opened it.
            function open(text, children, focusBack) {
                title.replaceChildren(shown(text));
                box.replaceChildren(...[children].flat(Infinity).filter(child => child !== null && child !== undefined));
                box.scrollTop = 0;
                element.hidden = false;
                leave = focusBack;
                element.querySelector("button").focus();
                box.querySelector(".chosen")?.scrollIntoView({ block: "center" });
            }
            function close(returnsFocus = true) {
                if (element.hidden) return;
                element.hidden = true;
                box.replaceChildren();
                if (returnsFocus) leave();
            }
            document.addEventListener("keydown", event => {
                if (event.key !== "Escape" || element.hidden) return;
                event.preventDefault();
                close();
            });
            return { element, box, open, close };
        })();
        """#

    /// The tabs; a panel is filled when it is shown for the first time.
    static let tabs = #"""
        const sections = [
            ["Overview", content.runs ?? content.requests ?? content.strings ?? content.services, showOverview],
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
            const box = make("div", { class: "box" });
            const tab = button(name, () => select(name),
                { role: "tab", id: "tab-" + name, "aria-controls": "panel-" + name });
            bar.append(tab);
            main.append(panel);
            return { name, value, show, panel, box, tab };
        });
        const section = name => tabs.find(one => one.name === name);
        // Shows a section with its current value: for the first time, by its own function, or again.
        function refresh(one) {
            if (!one.panel.firstChild) {
                if (controls[one.name]) one.panel.append(...controls[one.name](one.value));
                one.panel.append(one.box);
                one.update = one.show(one.box, one.value);
            } else if (one.isChanged) {
                one.update(one.value);
            }
            one.isChanged = false;
        }
        function select(name) {
            side.close(false);
            for (const one of tabs) {
                const isSelected = one.name === name;
                one.tab.setAttribute("aria-selected", String(isSelected));
                one.tab.tabIndex = isSelected ? 0 : -1;
                one.panel.hidden = !isSelected;
                if (isSelected) refresh(one);
            }
            main.scrollTop = 0;
            section(name).tab.scrollIntoView({ block: "nearest", inline: "nearest" });
        }
        // Shows a section from the overview, whose link would be hidden with the focus.
        function visit(name) {
            select(name);
            section(name).tab.focus();
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
            make("p", { class: "quiet created" }, "Created " + clock(content.createdAt).slice(0, 19) + " UTC"));
        document.body.append(header, bar, main, side.element);
        if (tabs.length) select(tabs[0].name);
        else main.append(quiet("The document has no sections."));
        requestAnimationFrame(() => performance.mark("shown"));
        """#
}
