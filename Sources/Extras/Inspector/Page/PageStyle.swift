/// The style sheet of the page: colors, layout and controls.
enum PageStyle {
    static let text = base + sections + narrow

    /// Distances are multiples of 8 pixels, or of 4 inside of controls.
    private static let base = #"""
        :root {
            --back: #ffffff; --soft: #f5f6f8; --line: #e1e4e9; --front: #1c1e22; --quiet: #596070; --mark: #0b57d0; --mark-soft: #e8f0fe;
            --error: #b3261e; --error-soft: #fdeceb; --warning: #855100; --warning-soft: #fdf1dc; --good: #1c6b3e; --good-soft: #e4f4ea;
            --plain: #b9c0cb; --whole: #5d86cf; --queue: #8f97a3; --lookup: #128a83; --connect: #c56a12; --tls: #8a4fc4; --send: #5c6470;
            --wait: #2f6fdd; --receive: #3a9457;
        }
        @media (prefers-color-scheme: dark) {
            :root {
                --back: #15171a; --soft: #1e2125; --line: #32363d; --front: #e7e8eb; --quiet: #a3a9b4; --mark: #9ec1ff; --mark-soft: #1d2f4f;
                --error: #ffa199; --error-soft: #43201e; --warning: #f0b866; --warning-soft: #3b2c14; --good: #86d5a5; --good-soft: #173324;
                --plain: #4d545f; --whole: #6f97dc; --queue: #7c8592; --lookup: #3fb8b0; --connect: #e29146; --tls: #b58ae6; --send: #98a1ae;
                --wait: #6ea2f5; --receive: #6cc48a;
            }
        }
        * { box-sizing: border-box; }
        html { height: 100%; }
        body { margin: 0; height: 100dvh; display: grid; grid-template: auto auto minmax(0, 1fr) / minmax(0, 1fr);
            background: var(--back); color: var(--front); font: 14px/1.45 system-ui, sans-serif; font-variant-numeric: tabular-nums;
            overflow-wrap: anywhere; }
        header { display: flex; gap: 16px; align-items: baseline; padding: 12px 24px 4px; background: var(--soft); min-width: 0; }
        h1 { font-size: 18px; line-height: 24px; margin: 0; flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis;
            white-space: nowrap; }
        h2 { font-size: 15px; line-height: 24px; margin: 0; }
        h3 { font-size: 13px; line-height: 16px; margin: 24px 0 8px; }
        p { margin: 8px 0; }
        header p { margin: 0; flex: none; }
        .quiet { color: var(--quiet); }
        .name { font-weight: 600; }
        .data { unicode-bidi: isolate; }
        .code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 13px; }
        .good { --tone: var(--good); --tone-soft: var(--good-soft); }
        .active { --tone: var(--mark); --tone-soft: var(--mark-soft); }
        .warning { --tone: var(--warning); --tone-soft: var(--warning-soft); color: var(--tone); }
        .error { --tone: var(--error); --tone-soft: var(--error-soft); color: var(--tone); }
        .number { text-align: end; white-space: nowrap; }
        :focus-visible { outline: 2px solid var(--mark); outline-offset: 1px; }
        main { overflow: auto; padding: 0 24px; }
        [role=tabpanel] { max-width: 1600px; margin: 0 auto; padding: 16px 0; min-height: 100%; }
        [role=tabpanel]:focus-visible { outline-offset: -2px; }
        .tabs { display: flex; gap: 4px; padding: 0 16px; overflow-x: auto; background: var(--soft); border-bottom: 1px solid var(--line);
            scrollbar-width: none; }
        .tabs button { flex: none; border: 0; border-bottom: 2px solid transparent; border-radius: 0; background: none; color: var(--quiet);
            padding: 8px; min-height: 40px; }
        .tabs button:hover { color: var(--front); }
        .tabs button:focus-visible { outline-offset: -3px; }
        .tabs [aria-selected=true] { color: var(--mark); border-color: var(--mark); }
        .connection { display: flex; gap: 8px; align-items: center; }
        .connection [role=status] { color: var(--quiet); }
        button, input, select { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: 6px;
            padding: 4px 8px; min-height: 32px; max-width: 100%; min-width: 0; }
        input, select { border-color: var(--quiet); }
        [aria-invalid=true] { border-color: var(--error); }
        button { cursor: pointer; text-align: start; }
        button:hover { background: var(--soft); border-color: var(--quiet); }
        input[type=checkbox] { width: 16px; min-height: 16px; height: 16px; margin: 0; accent-color: var(--mark); }
        .quiet-button { border-color: transparent; color: var(--mark); background: none; font-size: 13px; font-weight: 400; }
        .toolbar { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: end; margin: 0 0 16px; }
        .toolbar label, .controls label { display: flex; flex-direction: column; gap: 4px; color: var(--quiet);
            font-size: 12px; min-width: 0; }
        .toolbar label > *, .controls label > * { color: var(--front); font-size: 14px; }
        .toolbar .search input { width: 240px; }
        .filters { gap: 8px; }
        .filters select { max-width: 216px; }
        .toolbar .rare input { width: 168px; }
        .toolbar .check { flex-direction: row-reverse; align-items: center; gap: 8px; min-height: 32px; font-size: 14px; }
        .toolbar [role=status] { margin: 0 0 0 auto; line-height: 32px; }
        .toolbar .legend { margin: 0; line-height: 32px; }
        .controls { background: var(--soft); border-radius: 8px; padding: 8px 16px 12px; margin: 0 0 16px; }
        .controls .filters { display: flex; flex-wrap: wrap; gap: 8px; align-items: end; }
        .result { white-space: pre-wrap; margin: 8px 0 0; }
        .result:empty { display: none; }
        .actions { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 0 0 8px; }
        .disclosure { border: 0; background: none; color: var(--mark); padding: 0; min-height: 24px; }
        .disclosure::before { content: "▸ "; }
        .disclosure[aria-expanded=true]::before { content: "▾ "; }
        .pill { display: inline-block; border-radius: 10px; padding: 0 8px; line-height: 20px; font-size: 12px;
            background: var(--tone-soft, var(--soft)); color: var(--tone, var(--front)); }
        pre { white-space: pre-wrap; background: var(--soft); border-radius: 6px; padding: 8px; margin: 8px 0; max-height: 60vh;
            overflow: auto; }
        ul { margin: 0; padding-left: 16px; }
        ul.plain, .fields { list-style: none; padding: 0; }
        .facts { margin: 8px 0; }
        .facts > div { display: flex; gap: 16px; padding: 4px 0; border-bottom: 1px solid var(--line); }
        .facts dt { flex: 0 0 112px; color: var(--quiet); }
        .facts dd { margin: 0; min-width: 0; }
        .side { position: fixed; inset: 0 0 0 auto; width: min(560px, 100vw); background: var(--back); border-left: 1px solid var(--line);
            box-shadow: 0 0 32px rgb(0 0 0 / 0.2); display: flex; flex-direction: column; z-index: 2; }
        .side[hidden] { display: none; }
        .side-head { display: flex; gap: 16px; align-items: start; justify-content: space-between; padding: 12px 24px;
            border-bottom: 1px solid var(--line); }
        .side-head h2 { min-width: 0; line-height: 32px; max-height: 96px; overflow: auto; }
        .side-head button { flex: none; }
        .side-box { overflow: auto; padding: 16px 24px 24px; }
        .callout { background: var(--error-soft); color: var(--error); border-radius: 6px; padding: 8px 16px; margin: 0 0 16px; }

        """#
}
