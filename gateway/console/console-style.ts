/** What the console adds to the style of all pages. */
export const consoleStyle = `
.skip { position: absolute; left: -100rem; background: var(--surface); padding: .5rem 1rem }
.skip:focus { left: 0; z-index: 1 }
.notices { padding-top: 0; padding-bottom: 0 }
main:focus { outline: 0 }
.badge.accent { background: var(--accent-surface); color: var(--accent) }
button.small, .button.small { min-height: 2rem; padding: .2rem .6rem; font-size: var(--small) }
label > input, label > select, label > textarea { font-size: var(--body) }
.button.danger { border-color: var(--bad); color: var(--bad) }
.sign-in { max-width: 28rem }
.sign-in input, .confirm textarea { width: 100% }
.confirm textarea { display: block; margin-top: .2rem }
label > select { display: block; margin-top: .2rem }
.row > label { flex: 0 1 auto } .row { align-items: end } .row.area, .top .row, p.row { align-items: center }
.area { margin: 2rem 0 .5rem } .area h2 { margin: 0 } .area h2 a { color: inherit; text-decoration: none } .area h2 a:hover { text-decoration: underline }
.filter { margin-top: 1.5rem }
.path { display: block; font-family: ui-monospace, monospace; margin-top: .15rem }
.stage { display: inline-flex; align-items: center; gap: .5rem }
.share { width: 5rem; height: .375rem } .share .track, .test .track { fill: var(--raised) } .share .fill { fill: var(--accent) }
table.routes { table-layout: fixed } table.routes th:nth-child(1) { width: 48% } table.routes th:nth-child(2) { width: 24% } table.routes th:nth-child(3) { width: 10% }
.changes .row + .row { margin-top: 1rem }
input.percent { width: 8rem }
tr.blocking { background: var(--bad-surface) }
table.clauses td:nth-child(2) { white-space: nowrap }
figure { margin: 0 } figcaption { color: var(--muted); font-size: var(--small); margin-top: .25rem }
svg.chart text { fill: var(--text); font: 13px system-ui, sans-serif } svg.chart text.muted { fill: var(--muted) }
.test { max-width: 44rem } .test .zone-bad { fill: var(--bad-surface) } .test .zone-good { fill: var(--good-surface) }
.test .walk-good, .test .marker-good { fill: var(--good) } .test .walk-bad, .test .marker-bad { fill: var(--bad) }
.test .bound { stroke: var(--control); stroke-dasharray: 3 3 } .test .origin { stroke: var(--control) }
.freshness { position: fixed; right: 1rem; bottom: 1rem; margin: 0; padding: .35rem .75rem; border-radius: var(--radius); background: var(--warn-surface); color: var(--warn) }
.freshness:empty { display: none }
@media (max-width: 40rem) {
  .filter label, .subject label, .filter input, .filter select, .subject input { width: 100% }
  table.routes, table.routes tbody { display: block } table.routes th { display: block !important; width: auto !important }
  .row.end { margin-left: 0 }
}
`
