/// The style sheet of the page.
enum PageStyle {
    static let text = #"""
        :root {
            --back: #ffffff; --front: #1b1c1f; --quiet: #5b5f66; --line: #d5d8dd; --soft: #f2f4f7; --mark: #0b57d0;
            --error: #b3261e; --warning: #8a5300; --bar: #4a7fd6; --good: #2e7d4f;
        }
        @media (prefers-color-scheme: dark) {
            :root {
                --back: #16181b; --front: #e6e7ea; --quiet: #a4a9b1; --line: #383c42; --soft: #22252a; --mark: #9ec1ff;
                --error: #ff9d94; --warning: #f0b866; --bar: #6f9fea; --good: #7fcf9f;
            }
        }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 90rem; padding: 0.75rem; background: var(--back); color: var(--front);
            font: 0.9rem/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
        h1 { font-size: 1.3rem; margin: 0; }
        h2 { font-size: 1rem; margin: 1rem 0 0.4rem; }
        p { margin: 0.3rem 0; }
        .quiet { color: var(--quiet); }
        .data { unicode-bidi: isolate; }
        :focus-visible { outline: 2px solid var(--mark); outline-offset: 1px; }
        button, input, select { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--quiet);
            border-radius: 4px; padding: 0.2rem 0.5rem; min-height: 1.9rem; max-width: 100%; }
        button { cursor: pointer; text-align: start; }
        .tabs { display: flex; flex-wrap: wrap; gap: 0.25rem; margin: 0.75rem 0; border-bottom: 1px solid var(--line); }
        .tabs button { border-color: transparent; border-radius: 4px 4px 0 0; }
        .tabs [aria-selected=true] { font-weight: 600; border-color: var(--line); border-bottom: 3px solid var(--mark); }
        .filters { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: end; margin: 0.5rem 0; }
        .filters label { display: flex; flex-direction: column; color: var(--quiet); min-width: 0; }
        .controls { border: 1px solid var(--line); border-radius: 4px; padding: 0.25rem 0.5rem; margin: 0.5rem 0; }
        .controls .filters { margin: 0.25rem 0; }
        .result { white-space: pre-wrap; }
        .connection { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; }
        input[type=checkbox] { width: 1.9rem; }
        .list { position: relative; height: 60vh; min-height: 12rem; overflow: auto; border: 1px solid var(--line); }
        .row { position: absolute; left: 0; right: 0; height: 22px; line-height: 22px; display: flex; gap: 0.75rem;
            padding: 0 0.4rem; white-space: pre; font-family: ui-monospace, monospace; font-size: 12px; overflow: hidden; }
        .row[aria-selected=true] { background: var(--soft); outline: 1px solid var(--mark); outline-offset: -1px; }
        .row > span { flex: none; unicode-bidi: isolate; }
        .row > .level { width: 7.5rem; }
        .row > .context { width: 9rem; overflow: hidden; text-overflow: ellipsis; color: var(--quiet); }
        .row > .text { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; }
        .error { color: var(--error); font-weight: 600; }
        .warning { color: var(--warning); }
        pre { white-space: pre-wrap; background: var(--soft); padding: 0.5rem; margin: 0.3rem 0; max-height: 50vh;
            overflow: auto; font-family: ui-monospace, monospace; font-size: 12px; }
        [role=table] { display: block; width: 100%; }
        [role=row] { display: flex; gap: 0.75rem; border-bottom: 1px solid var(--line); padding: 0.3rem 0; }
        [role=row] > * { flex: 1; min-width: 0; unicode-bidi: isolate; }
        [aria-label=Requests] [role=row] > :first-child { flex: 3; }
        [aria-label=Events] [role=row] > :first-child { flex: 0.4; }
        [role=columnheader] { font-weight: 600; }
        .detail { padding: 0.25rem 0 0.5rem 1rem; border-bottom: 1px solid var(--line); }
        ul { margin: 0; padding-left: 1.1rem; }
        .lane { display: flex; gap: 0.5rem; align-items: center; margin: 2px 0; }
        .lane > span { flex: none; width: 10rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        .lane > svg { flex: 1; min-width: 0; }
        svg.spans { width: 100%; height: 16px; background: var(--soft); display: block; }
        svg rect { fill: var(--bar); }
        svg rect.error { fill: var(--error); }
        svg rect.warning { fill: var(--warning); }
        svg rect.good { fill: var(--good); }
        .scroll { overflow: auto; max-width: 100%; border: 1px solid var(--line); }
        .graph rect { fill: var(--soft); stroke: var(--quiet); }
        .graph text { fill: var(--front); font-size: 12px; }
        .graph line { stroke: var(--quiet); stroke-width: 1.5; }
        .graph polygon { fill: var(--quiet); }
        @media (max-width: 600px) {
            .row > .context, .row > .date { display: none; }
            .filters label { flex: 1 1 9rem; }
            .row > .level { width: 4.5rem; overflow: hidden; text-overflow: ellipsis; }
            .head { display: none; }
            [role=row] { flex-direction: column; gap: 0; }
            [role=cell]::before { content: attr(data-title) ": "; color: var(--quiet); }
            .lane > span { width: 6rem; }
        }
        """#
}
