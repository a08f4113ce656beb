/** What the parity report adds to the style of all pages. */
export const parityStyle = `
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 0 1rem }
.sides h3, .request h3 { margin: .5rem 0 0; font-size: var(--small); color: var(--muted); font-weight: 600 }
.sides pre, .request pre { margin: .25rem 0 .5rem }
.figures > * { flex-basis: max(9rem, 17%) }
mark { background: var(--warn-surface); color: var(--warn); font-weight: 600 }
.filters { position: sticky; top: 0; z-index: 1 }
h2[id], .route, details[id] { scroll-margin-top: 7rem }
.filters label { min-width: 9rem } .filters select { display: block; width: 100%; margin-top: .2rem }
.filters output { color: var(--muted) }
.route > summary, .comparison > summary { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .75rem }
.route > summary::before, .comparison > summary::before { content: '+'; width: .75rem; color: var(--muted); font-weight: 600 }
.route[open] > summary::before, .comparison[open] > summary::before { content: '\\2212' }
.route { border: 1px solid var(--line); border-radius: var(--radius); margin: .5rem 0 }
.route[open] > summary { border-bottom: 1px solid var(--line) }
.route > .comparison:last-child { border-bottom: 0; border-radius: var(--radius) }
.comparison > .title, summary .title { flex: 1 1 14rem }
.statuses { display: flex; flex-wrap: wrap; gap: .25rem; margin: 0; padding: 0; list-style: none }
[hidden] { display: none !important }
@media (max-width: 40rem) {
  .filters { position: static }
  h2[id], .route, details[id] { scroll-margin-top: .5rem }
  table.stacked td .statuses { justify-content: flex-end }
}
@media print { .filters { display: none } }
`
