const stack = (table: string) => `
  ${table} thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  ${table}, ${table} tbody { display: block }
  ${table} tr { display: block; padding: .6rem 0; border-bottom: 1px solid var(--line) }
  ${table} :is(th, td) { display: flex; flex-wrap: wrap; gap: 0 .75rem; justify-content: space-between; border: 0; padding: .2rem .75rem; text-align: left; overflow-wrap: anywhere }
  ${table} td[data-name]::before { content: attr(data-name); color: var(--muted); font-size: var(--small); flex: none }
  ${table} td:empty { display: none }`

/**
 * Loads nothing and needs no inline styles, so pages can have a strict Content-Security-Policy. Every text colour has a
 * contrast of at least 4.5 on its backgrounds.
 */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --page: #f7f8fa; --surface: #ffffff; --raised: #eef1f5; --line: #d5dbe3; --control: #7d8896;
  --text: #1a2029; --muted: #556070; --accent: #2653c7; --on-accent: #ffffff; --accent-surface: #e4ebfb;
  --good: #17692e; --good-surface: #e1f3e6; --bad: #b3202b; --bad-surface: #fdeaeb; --warn: #7a4f00; --warn-surface: #fdf1d8;
  --small: .8125rem; --body: 1rem; --large: 1.25rem; --title: 1.625rem;
  --radius: .5rem;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161b; --surface: #1a2027; --raised: #242c35; --line: #343e4a; --control: #7b8794;
    --text: #e7ebf0; --muted: #a3aebb; --accent: #8fb1ff; --on-accent: #10161f; --accent-surface: #1d2a47;
    --good: #74d692; --good-surface: #16301f; --bad: #ff9a9f; --bad-surface: #3a1b1f; --warn: #ecc06b; --warn-surface: #352a12;
  }
}
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--page); color: var(--text); font: var(--body)/1.5 system-ui, sans-serif; overflow-wrap: break-word }
code, pre, .code, tbody th { overflow-wrap: anywhere }
h1, h2, h3 { line-height: 1.25; margin: 0 }
h1 { font-size: var(--title) }
h2 { font-size: var(--large); margin: 2.25rem 0 .75rem }
h3 { font-size: var(--body); margin: 1.25rem 0 .5rem }
p { margin: .5rem 0; max-width: 44rem }
small, .small { font-size: var(--small) }
.muted { color: var(--muted) }
a { color: var(--accent); text-underline-offset: .15em }
code, pre, .code { font: .9em/1.45 ui-monospace, monospace }
pre { margin: .5rem 0; padding: .75rem 1rem; background: var(--raised); border-radius: var(--radius); white-space: pre-wrap }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.top { background: var(--surface); border-bottom: 1px solid var(--line) }
.top > div { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.25rem }
.top > div, main, .width { max-width: 76rem; margin: 0 auto; padding: .75rem 1rem }
.top nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem }
.top nav a { color: var(--text); text-decoration: none; padding: .25rem 0; border-bottom: 2px solid transparent }
.top nav a[aria-current] { border-color: var(--accent); color: var(--accent) }
.brand { font-weight: 650; color: var(--text); text-decoration: none }
main { padding-top: 1.5rem; padding-bottom: 4rem }
.panel { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); padding: 1rem; margin: .75rem 0 }
.panel > :first-child { margin-top: 0 }
.narrow { max-width: 28rem }
.row { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem }
.between { justify-content: space-between }
.end { margin-left: auto }
.empty { padding: 2rem 1rem; text-align: center; color: var(--muted); border: 1px dashed var(--line); border-radius: var(--radius) }
.empty p { margin: .25rem auto }
.notice { padding: .75rem 1rem; border-left: 4px solid var(--accent); background: var(--surface); border-radius: var(--radius); margin: .75rem 0 }
.notice > :first-child { margin-top: 0 } .notice > :last-child { margin-bottom: 0 }
.notice.good { border-color: var(--good) } .notice.bad { border-color: var(--bad) } .notice.warn { border-color: var(--warn) }
.badge { display: inline-block; padding: .05rem .5rem; border-radius: 1rem; font-size: var(--small); white-space: nowrap; background: var(--raised); color: var(--text) }
.badge.good { background: var(--good-surface); color: var(--good) }
.badge.bad { background: var(--bad-surface); color: var(--bad) }
.badge.warn { background: var(--warn-surface); color: var(--warn) }
.figures { display: flex; flex-wrap: wrap; gap: .75rem; margin: .75rem 0; padding: 0; list-style: none }
.figures > * { flex: 1 1 min(9rem, 40%); background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius); padding: .75rem 1rem; color: var(--muted); font-size: var(--small) }
.figures b { display: block; font-size: var(--large); color: var(--text); font-variant-numeric: tabular-nums }
table { width: 100%; border-collapse: collapse; background: var(--surface) }
th, td { padding: .5rem .75rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
thead th { font-size: var(--small); font-weight: 600; color: var(--muted); background: var(--raised); white-space: nowrap }
tbody th { font-weight: 500; min-width: 11rem }
.number { text-align: right; font-variant-numeric: tabular-nums }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.25rem; margin: .5rem 0 }
dt { color: var(--muted) } dd { margin: 0 }
form { margin: 0 }
label { display: block; font-size: var(--small); color: var(--muted) }
label:not(.inline) > input { display: block; margin-top: .2rem }
label.inline { display: inline-flex; align-items: center; gap: .4rem; color: var(--text); font-size: var(--body) }
input, select, textarea, button, .button { font: inherit; min-height: 2.5rem; padding: .375rem .75rem; border-radius: var(--radius); border: 1px solid var(--control); background: var(--surface); color: var(--text); max-width: 100% }
input[type=checkbox], input[type=radio] { min-height: 0; width: 1.1rem; height: 1.1rem; accent-color: var(--accent) }
button, .button { display: inline-block; cursor: pointer; text-decoration: none }
button:hover, .button:hover { border-color: var(--accent) }
button.primary, .button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent) }
button.danger { border-color: var(--bad); color: var(--bad) }
button:disabled { color: var(--muted); border-color: var(--line); cursor: default }
fieldset { border: 1px solid var(--line); border-radius: var(--radius); padding: .75rem 1rem; margin: .75rem 0 }
legend { padding: 0 .4rem; font-weight: 600 }
details { border-bottom: 1px solid var(--line); background: var(--surface) }
summary { cursor: pointer; padding: .6rem .75rem }
td > details { border: 0; background: none }
td > details > summary { padding: 0 }
details > :not(summary) { margin-left: .75rem; margin-right: .75rem }
svg.chart { display: block; width: 100%; height: auto }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
@media (max-width: 48rem) {
  h1 { font-size: 1.375rem }
  dl { grid-template-columns: 1fr; gap: 0 } dd { margin-bottom: .5rem }
}
@media (max-width: 30rem) {${stack('table.stacked')} }
@media (max-width: 48rem) {${stack(':is(table.stacked:has(thead th:nth-child(5)), table.wide)')} }
@media (max-width: 50rem) { .top nav { font-size: var(--small) } }
@media (max-width: 46rem) { .top nav { order: 1; width: 100%; justify-content: space-between; gap: .125rem .4rem; white-space: nowrap } }
@media (max-width: 24rem) { .top nav { font-size: .75rem } }
@media (prefers-reduced-motion: no-preference) { button, .button { transition: border-color .1s } }
@media print {
  :root {
    color-scheme: light;
    --page: #fff; --surface: #fff; --raised: #fff; --line: #999; --control: #777;
    --text: #000; --muted: #333; --accent: #2653c7; --accent-surface: #fff;
    --good: #17692e; --good-surface: #fff; --bad: #b3202b; --bad-surface: #fff; --warn: #7a4f00; --warn-surface: #fff;
    --body: .75rem; --small: .6875rem; --large: .9375rem; --title: 1.25rem;
  }
  .top nav, form, button, .screen { display: none }
  main { max-width: none; padding: 0 } h2 { margin: 1rem 0 .375rem; break-after: avoid } p { margin: .25rem 0; max-width: none }
  a { color: inherit; text-decoration: none } th, td { padding: .1rem .5rem } .figures > * { padding: .375rem .75rem }
  tr, figure, .panel, .figures > * { break-inside: avoid }
}
`
