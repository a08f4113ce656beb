export const consoleStyle = `
.skip { position: absolute; left: -100rem; background: var(--surface); padding: .5rem 1rem }
.skip:focus { left: 0; z-index: 1 }
.notices { padding-top: 0; padding-bottom: 0 }
main:focus { outline: 0 }
button.small, .button.small { min-height: 2rem; padding: .2rem .6rem; font-size: var(--small) }
label > input, label > select, label > textarea { font-size: var(--body) }
.button.danger { border-color: var(--bad); color: var(--bad) }
main:has(.sign-in) { max-width: 30rem; padding-top: min(12vh, 6rem) }
.sign-in input, .confirm textarea { width: 100% }
.confirm textarea { display: block; margin: .2rem 0 1rem } .confirm .row { align-items: center }
a.button { display: inline-flex; align-items: center }
label > select { display: block; margin-top: .2rem }
.row > label { flex: 0 1 auto } .row { align-items: end } .row.area, .top .row, p.row { align-items: center }
.area { margin: 1.5rem 0 .5rem }
.headline { font-size: var(--large); margin: .25rem 0 .75rem; max-width: none } .states a { color: inherit; text-decoration: none } .states a:hover { text-decoration: underline } .row.end { justify-content: flex-end }
.finished { padding: 0; margin: .5rem 0 } .finished > table { margin: 0; width: 100% } .finished > .area { margin-top: 0 }
.plot .mark { stroke: var(--text); stroke-width: 1; stroke-dasharray: 2 3 } .plot .mark.stop { stroke: var(--bad); stroke-width: 2; stroke-dasharray: none } .plot .mark.deploy { stroke: var(--control); stroke-width: 3; stroke-dasharray: none; stroke-linecap: butt; opacity: .6 }
.key.mark::before { width: 0; height: 1rem; border: 0; border-left: 1px dashed var(--text) } .key.mark.stop::before { border-left: 2px solid var(--bad) } .key.mark.deploy::before { border-left: 3px solid var(--control); opacity: .6 }
.marks { list-style: none; padding: 0 } .marks li { padding: .25rem 0 } .newest { display: flex; gap: 1rem; font-variant-numeric: tabular-nums } .newest b { color: var(--text) }
.decide .fact { font-size: 1.125rem; font-weight: 600 } .actions, .forms { margin-top: 1rem } .danger-zone { margin-left: auto; padding-left: 1rem; border-left: 1px solid var(--line) } .decide details { border: 0; margin-top: .75rem } .decide summary { padding: .25rem 0; color: var(--muted) }
a[data-key]::after { content: attr(data-key) / ""; margin-left: .5rem; padding: 0 .35rem; border: 1px solid; border-radius: .25rem; font-size: .75rem; text-transform: uppercase }
.checks { list-style: none; padding: 0; margin: .5rem 0; background: var(--surface) } .checks li { display: grid; grid-template-columns: 9rem 6rem minmax(0, 1fr) auto; gap: 0 1rem; align-items: baseline; padding: .5rem .75rem; border-bottom: 1px solid var(--line) } .checks li.blocking { background: var(--bad-surface) }
.test-panel { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 1fr); gap: 0 1.5rem; align-items: center } .test-panel > .figures { grid-column: 1 / -1 }
p.row { max-width: none } .checks .badge { justify-self: start } table.routes td, table.routes th { vertical-align: baseline }
.keys { display: flex; flex-wrap: wrap; gap: .25rem 1rem; white-space: nowrap } .area h3 { margin: 0 } .area h3 a { color: inherit; text-decoration: none } .area h3 a:hover { text-decoration: underline }
.filter { margin: 1.5rem 0 1rem }
.badges { display: inline-flex; flex-wrap: wrap; gap: .25rem; min-width: 0 }
.path { display: block; font-family: ui-monospace, monospace; margin-top: .15rem }
.stage { display: inline-flex; align-items: center; gap: .5rem } .stage .badge { min-width: 5.75rem } .stage .number { min-width: 3.5rem; text-align: left }
.weight { appearance: none; width: 5rem; height: .375rem; border: 0; border-radius: 3px; overflow: hidden; background: var(--raised); flex: none }
.weight::-webkit-progress-bar { background: var(--raised) } .weight::-webkit-progress-value { background: var(--accent) } .weight::-moz-progress-bar { background: var(--accent) }
.test .track { fill: var(--raised) }
table.routes { table-layout: fixed } table.routes th:nth-child(1) { width: 48% } table.routes th:nth-child(2) { width: 24% } table.routes th:nth-child(3) { width: 10% }
.sides { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); margin: .75rem 0 } .sides > .panel { margin: 0 }
form.subject { margin-top: 1rem }
input.percent { width: 8rem }
figure { margin: 0 } figcaption { color: var(--muted); font-size: var(--small); margin-top: .25rem }
.heading { margin: 2rem 0 .75rem } .heading h2, .panel > .between h2 { margin: 0 }
.periods { display: flex; gap: .25rem .9rem; flex-wrap: wrap } .periods a[aria-current] { color: var(--text); text-decoration: none; font-weight: 600 }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 13.5rem), 1fr)); gap: .75rem; margin: .75rem 0 }
.plot { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .25rem .5rem; padding: .75rem 1rem; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius) }
.plot figcaption { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: 0 1rem; margin: 0 0 .25rem } .plot figcaption strong { flex: 1 0 100%; color: var(--text) }
.plot svg { width: 100%; height: 8rem; overflow: visible } .plot .axis { display: flex; flex-direction: column; justify-content: space-between; text-align: right; line-height: 1 }
.plot .span { grid-column: 2 } .span { display: flex; justify-content: space-between; gap: 1rem } .axis, .span { font-size: var(--small); color: var(--muted); font-variant-numeric: tabular-nums }
.plot path { vector-effect: non-scaling-stroke; fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round }
.plot .grid { stroke: var(--line); stroke-width: 1 } .plot .line.native { stroke: var(--accent) } .plot .line.core { stroke: var(--control); stroke-dasharray: 4 4 }
.key { font-variant-numeric: tabular-nums } .key b { color: var(--text) }
.key::before { content: ""; display: inline-block; width: 1rem; margin-right: .35rem; vertical-align: middle; border-top: 3px solid var(--accent) } .key.core::before { border-top: 3px dashed var(--control) }
.state-proxy { --state: var(--control); --mark: "○" } .state-shadow { --state: light-dark(#7b3fb5, #c79bff); --mark: "◐" } .state-canary { --state: light-dark(#0a7a80, #5fd0cf); --mark: "◔" }
.state-native { --state: var(--accent); --mark: "●" } .state-native-by-code { --state: color-mix(in srgb, var(--accent) 70%, var(--surface)); --mark: "●" } .state-retired { --state: color-mix(in srgb, var(--accent) 55%, var(--text)); --mark: "◆" }
.state-native-only { --state: color-mix(in srgb, var(--accent) 45%, var(--surface)); --mark: "■" } .state-killed { --state: var(--bad); --mark: "✕" } .state-held { --state: var(--warn); --mark: "‖" }
.badge.state { background: color-mix(in srgb, var(--state, var(--control)) 16%, var(--surface)); color: var(--text) } .badge.state::before { content: var(--mark, "") / ""; color: var(--state); margin-right: .3rem }
.stack path { stroke: var(--surface); stroke-width: 1 } .stack .grid { stroke: var(--line) } .state-killed, .state-held { font-weight: 600 }
.stack path { fill: var(--state, var(--control)) } .stack .grid { fill: none } .plot.stack svg { height: 12rem }
.stack .key::before { border-top: .75rem solid var(--state, var(--control)); width: .75rem }
.test svg { display: block; width: 100%; height: 2.5rem } .test path { vector-effect: non-scaling-stroke; fill: none } .test .zone-bad { fill: var(--bad-surface) } .test .zone-good { fill: var(--good-surface) }
.test .walk-good { fill: var(--good) } .test .walk-bad { fill: var(--bad) } .test .marker-good { stroke: var(--good); stroke-width: 6 } .test .marker-bad { stroke: var(--bad); stroke-width: 6 }
.test .bound { stroke: var(--control); stroke-dasharray: 3 3 } .test .origin { stroke: var(--control) } .test figcaption { color: var(--text); font-size: var(--body); margin: .5rem 0 1rem }
.freshness { position: fixed; right: 1rem; bottom: 1rem; margin: 0; padding: .35rem .75rem; border-radius: var(--radius); background: var(--warn-surface); color: var(--warn) }
.freshness:empty { display: none }
@media (max-width: 48rem) {
  .checks li { grid-template-columns: 1fr auto } .checks li > :nth-child(n + 3) { grid-column: 1 / -1 } .test-panel { grid-template-columns: minmax(0, 1fr) }
  table.routes td:empty, .audit td:empty { display: none !important }
  .filter label, .subject label { flex: 1 1 13rem } .filter input, .filter select, .subject input { width: 100% }
  table.routes, table.routes tbody { display: block } table.routes th { display: block !important; width: auto !important }
  table.routes td { display: inline-flex !important; vertical-align: middle } table.routes td:not([data-name=Effects])::before { content: none !important }
  .audit td { display: inline-flex !important; padding-right: 0 !important } .audit td[data-name=Reason] { display: block !important }
  .audit td::before { content: none !important } .audit td[data-name=Epoch]::before { content: "epoch" !important }
  .row.end { margin-left: 0 } .top .row.end { margin-left: auto }
}
@media (max-width: 36rem) { .compact th, .compact td { padding: .5rem .3rem } .compact thead th { white-space: normal } .compact tbody th { min-width: 0 }
  .danger-zone { margin-left: 0; padding-left: 0; border: 0; width: 100% } }
@media (max-width: 30rem) { table.routes .weight { display: none } }
.report .time { white-space: nowrap } .report .controls { margin-top: 1rem }
@media (min-width: 48.01rem) { .report td, .report th { overflow-wrap: break-word } }
@media print { .plot.stack svg { height: 8rem } .top, .notices, .freshness { display: none } }
`
