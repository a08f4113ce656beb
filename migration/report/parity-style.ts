/** The style of the HTML report. It loads nothing, because the Content-Security-Policy of the report forbids it. */
export const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 20%, transparent) }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
header { padding: 1.5rem 1rem; border-bottom: 6px solid #777 }
header.pass { border-color: #1a7f37 } header.regression { border-color: #cf222e }
header.could_not_compare, header.inconclusive { border-color: #bf8700 }
h1 { margin: 0; font-size: 1.5rem } h2 { margin: 2rem 0 .5rem; font-size: 1.15rem }
main { max-width: 72rem; margin: 0 auto; padding: 0 1rem 3rem }
code { font: .9em/1.4 ui-monospace, monospace }
.totals { display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; padding: 0; list-style: none }
.badge { padding: .1rem .5rem; border: 1px solid; border-radius: 1rem; font-size: .8rem; white-space: nowrap }
.badge.equal { color: #1a7f37 } .badge.regression, .badge.critical, .badge.failed { color: #cf222e }
.badge.critical { font-weight: bold } .badge.not_comparable, .badge.inconclusive { color: #bf8700 }
.status { display: inline-block; padding: 0 .35rem; border: 1px solid var(--line); border-radius: .25rem }
.status.seen-on-none { opacity: .45 } .status.seen-on-one { border-color: #bf8700 } .status.seen-on-both { border-color: #1a7f37 }
details { padding: .6rem 0; border-top: 1px solid var(--line) } summary { cursor: pointer }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem } dd { margin: 0 }
table { width: 100%; border-collapse: collapse }
th, td { padding: .5rem .5rem .5rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top }
@media (max-width: 40rem) {
  thead { display: none } tr, th, td { display: block; border: 0; padding: .15rem 0 }
  tr { padding: .6rem 0; border-top: 1px solid var(--line) }
  td::before { content: attr(data-name) ': '; opacity: .7 }
}
`
