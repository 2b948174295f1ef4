extension PageStyle {
    /// Tables, plots and the parts of single sections.
    static let sections = #"""
        table { width: 100%; border-collapse: separate; border-spacing: 0; }
        thead th { position: sticky; top: -1px; z-index: 1; background: var(--back); padding: 0; text-align: start; font-weight: 400;
            border-bottom: 1px solid var(--line); vertical-align: bottom; }
        th button { border: 0; border-radius: 0; background: none; padding: 8px; width: 100%; color: var(--quiet);
            font-weight: 600; font-size: 12px; }
        th.number button { text-align: end; }
        th.number button, th.narrow button, td.narrow .pill { white-space: nowrap; }
        th button:focus-visible { outline-offset: -2px; }
        /* The arrow is beside the title, so that the titles of numbers are above these. */
        .arrow { display: inline-block; width: 0; white-space: nowrap; }
        .arrow::after { content: " ↕"; opacity: 0; }
        th button:hover .arrow::after, th button:focus-visible .arrow::after { opacity: 1; }
        [aria-sort=ascending] .arrow::after { content: " ↑"; opacity: 1; }
        [aria-sort=descending] .arrow::after { content: " ↓"; opacity: 1; }
        [aria-sort=ascending] button, [aria-sort=descending] button { color: var(--front); }
        td { padding: 8px; border-bottom: 1px solid var(--line); vertical-align: top; line-height: 24px; min-width: 64px; }
        td button { min-height: 24px; padding: 0 8px; }
        td .actions { margin: 0; }
        tr.opens { cursor: pointer; }
        tr.opens:hover td { background: var(--soft); }
        .empty td { color: var(--quiet); padding: 32px 8px; text-align: center; }
        .link { border: 0; padding: 0; background: none; color: inherit; min-height: 24px; width: 100%; }
        .link:hover { background: none; text-decoration: underline; }
        .host { display: block; font-size: 12px; line-height: 16px; }
        .requests td:last-child { width: 36%; min-width: 160px; padding-top: 14px; }
        .requests svg.spans { height: 12px; }
        .configuration .editor input { width: 160px; }
        .matrix th, .matrix td { text-align: center; }
        .matrix th:first-child, .matrix td:first-child { text-align: start; position: sticky; left: 0; background: var(--back);
            min-width: 144px; }
        .matrix thead th:first-child { z-index: 2; }
        .matrix th button { white-space: nowrap; }
        .matrix th:not(:first-child) button { text-align: center; padding-bottom: 0; }
        .coverage { display: block; font-size: 12px; padding: 0 8px 8px; color: var(--tone, var(--quiet)); white-space: nowrap; }
        .mark { border-color: transparent; background: none; min-width: 32px; text-align: center; color: var(--good); }
        .mark.inherited { color: var(--quiet); }
        .mark.missing { color: var(--error); }
        button.mark.missing { background: var(--error-soft); }
        .language { border-bottom: 1px solid var(--line); padding: 8px 0; }
        .language.chosen { background: var(--mark-soft); box-shadow: -24px 0 var(--mark-soft), 24px 0 var(--mark-soft); }
        .language h3 .pill { font-weight: 400; }
        .language h3, .language p { margin: 0 0 4px; }
        .fields li { padding: 4px 0; border-bottom: 1px solid var(--line); }
        .timing > div { display: flex; gap: 8px; align-items: center; min-height: 24px; }
        .timing > div > :first-child { flex: 0 0 96px; }
        .timing > div > :last-child { flex: 0 0 72px; }
        .legend { display: flex; flex-wrap: wrap; gap: 0 16px; margin: 8px 0 0; font-size: 12px; }
        .legend svg { width: 10px; height: 10px; margin-inline-end: 4px; }
        .legend .mark { min-width: 0; margin-inline-end: 4px; }
        .lane { display: flex; gap: 16px; align-items: center; min-height: 24px; }
        .lane > span { flex: none; width: 192px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        .lane > svg { flex: 1; min-width: 0; }
        .lanes { margin: 0 0 16px; }
        svg.spans { width: 100%; height: 16px; background: var(--soft); border-radius: 4px; display: block; min-width: 0; }
        svg rect { fill: var(--whole); }
        svg rect.error { fill: var(--error); }
        svg rect.warning { fill: var(--connect); }
        svg rect.good, svg rect.receive { fill: var(--receive); }
        svg rect.plain { fill: var(--plain); }
        svg rect.queue { fill: var(--queue); }
        svg rect.lookup { fill: var(--lookup); }
        svg rect.connect { fill: var(--connect); }
        svg rect.tls { fill: var(--tls); }
        svg rect.send { fill: var(--send); }
        svg rect.wait { fill: var(--wait); }
        .chart svg { width: 100%; height: 48px; display: block; border-bottom: 1px solid var(--line); }
        .axis { display: flex; justify-content: space-between; font-size: 12px; line-height: 16px; padding-top: 4px; }
        .cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 480px), 1fr)); gap: 16px; }
        .card { border: 1px solid var(--line); border-radius: 8px; padding: 12px 16px 16px; min-width: 0; }
        .card h2 { display: flex; justify-content: space-between; align-items: center; margin: 0 -8px 4px 0; }
        .card .chart svg { height: 72px; }
        .figures { display: flex; flex-wrap: wrap; gap: 8px; margin: 0 0 8px; }
        .item { display: flex; gap: 8px 16px; align-items: center; width: 100%; border: 0; border-top: 1px solid var(--line); border-radius: 0;
            padding: 8px 0; min-height: 40px; }
        .links .item:first-child { border-top: 0; }
        .item .grow { flex: 1 1 40%; min-width: 0; }
        .item .grow.data, .item .reason { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
        .item .grow .quiet { display: block; font-size: 12px; line-height: 16px; }
        .item .measure { flex: 0 0 50%; display: flex; gap: 8px; align-items: center; min-width: 0; }
        .item .measure .number { flex: 0 0 80px; }
        .item .reason { flex: 0 1 auto; max-width: 45%; min-width: 0; font-size: 12px; }
        .links .pill { flex: none; max-width: 60%; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
        .figures .item { flex: none; width: auto; border: 0; padding: 0; min-height: 24px; display: inline-block; }
        .figures .large { padding-right: 16px; }
        .large strong { font-size: 24px; line-height: 32px; }
        #panel-Log:not([hidden]) { display: flex; flex-direction: column; height: 100%; }
        .box.fills { flex: 1; min-height: 0; display: flex; flex-direction: column; }
        .more-filters { display: none; }
        .plot { margin: 0 0 8px; }
        .plot .chart svg { height: 32px; }
        .list { position: relative; flex: 1 1 0; min-height: 362px; overflow: auto; border: 1px solid var(--line); border-radius: 6px; }
        .row { position: absolute; left: 0; right: 0; height: 24px; line-height: 24px; display: flex; gap: 16px; padding: 0 8px;
            border-left: 3px solid transparent; white-space: pre; font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
            font-size: 12px; overflow: hidden; color: var(--front); }
        .row.error { border-color: var(--error); background: var(--error-soft); }
        .row.warning { border-color: var(--warning); }
        .row.error .level, .row.error .text { color: var(--error); }
        .row.warning .level { color: var(--warning); }
        .row[aria-selected=true] { background: var(--mark-soft); }
        .row > span { flex: none; unicode-bidi: isolate; }
        .row > .date, .row > .time { color: var(--quiet); }
        .row > .level { width: 72px; overflow: hidden; text-overflow: ellipsis; }
        .row > .context { width: 128px; overflow: hidden; text-overflow: ellipsis; color: var(--quiet); }
        .row.error > .context, .row.error > .date, .row.error > .time { color: var(--front); }
        .row > .text { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; }
        .line-detail { flex: none; max-height: 40%; overflow: auto; }
        .line-detail pre { max-height: none; }
        .scroll { overflow: auto; max-width: 100%; max-height: calc(100dvh - 200px); }
        .graph-box { border: 1px solid var(--line); border-radius: 8px; margin: 0 0 16px; }
        .graph { display: block; }
        .graph .service rect { fill: var(--tone-soft, var(--soft)); stroke: var(--line); }
        .graph .service rect.state { fill: var(--tone, var(--queue)); stroke: none; }
        .graph text { fill: var(--front); font-size: 12px; }
        .graph .need { stroke: var(--quiet); stroke-width: 1.5; fill: none; }
        .graph polygon { fill: var(--quiet); }

        """#

    /// A narrow page has less space around its parts, and the cells of a row below each other.
    static let narrow = #"""
        @media (max-width: 600px) {
            header { padding: 8px 16px 0; }
            h1 { font-size: 15px; }
            .created { display: none; }
            .connection button { min-height: 24px; padding: 0 8px; }
            .tabs { padding: 0 8px; }
            main { padding: 0 16px; }
            [role=tabpanel] { padding: 8px 0; }
            .toolbar { gap: 8px; margin: 0 0 8px; }
            .toolbar label:not(.check) { flex: 1 1 128px; }
            .toolbar .search input { width: 100%; }
            .toolbar .legend { line-height: 20px; }
            .toolbar [role=status] { flex: 1 0 100%; margin: 0; line-height: 20px; }
            #panel-Log { padding: 4px 0; }
            #panel-Log:not(.all) .rare, #panel-Log:not(.all) > .controls, #panel-Log .plot { display: none; }
            .more-filters { display: block; }
            .filters .check { min-height: 24px; }
            .row { gap: 8px; padding: 0 4px; }
            .row > .context, .row > .date { display: none; }
            .row > .level { width: 56px; }
            table:not(.matrix), table:not(.matrix) tbody { display: block; }
            table:not(.matrix) thead, table:not(.matrix) thead tr { display: flex; flex-wrap: wrap; }
            table:not(.matrix) thead th { position: static; border: 0; }
            table:not(.matrix) th button { padding: 0 12px 0 0; min-height: 24px; width: auto; }
            [aria-sort=none] .arrow::after { content: ""; }
            table:not(.matrix) tr { display: flex; flex-wrap: wrap; gap: 0 12px; padding: 8px 0; border-bottom: 1px solid var(--line); }
            table:not(.matrix) td { display: block; border: 0; padding: 0; min-width: 0; }
            table:not(.matrix) td:empty { display: none; }
            td.wide, .empty td { flex: 1 0 100%; max-width: 100%; }
            table:not([class]) td:not(:first-child)::before { content: attr(data-title) ": "; color: var(--quiet); font-size: 12px; }
            .requests td:last-child { min-width: 0; padding: 4px 0; }
            tr.opens:hover td { background: none; }
            .card { padding: 8px 12px 12px; }
            .item .reason { flex: 1 0 100%; max-width: none; }
            .lanes .lane:nth-child(n + 7) { display: none; }
            .item, .item .measure { flex-wrap: wrap; flex-basis: 100%; }
            .item .measure { flex-wrap: nowrap; }
            .figures .item { flex-basis: auto; }
            .lane > span { width: 112px; }
            .side { border: 0; }
            .side-head, .side-box { padding-left: 16px; padding-right: 16px; }
            .facts dt { flex-basis: 96px; }
        }
        """#
}
