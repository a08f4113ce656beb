import { describe, expect, it } from 'vitest'
import { formatJunit } from '#migration/report/junit.ts'
import { parityHtml } from '#migration/report/parity-html.ts'
import { createReport, readParityJson, writeParityJson } from '#migration/report/parity-json.ts'
import { summarise } from '#migration/report/summary.ts'
import { formatTable } from '#migration/report/table.ts'
import { detail, leftEmpty, refused, runOf } from './run.ts'

const run = runOf(
  ['libraries.detail', 'libraries.create', 'tracks.split-sheet.share-links.list'],
  [detail.same, detail.absent, detail.counted, detail.leaking, detail.drifting, detail.silent, leftEmpty],
)
const report = createReport(run)

const tampered = (change: (copy: typeof report) => void) => {
  const copy = structuredClone(report)
  change(copy)
  return writeParityJson(copy)
}

describe('parity.json', () => {
  it('can be read back, and all of its numbers follow from its run', () => {
    const read = readParityJson(writeParityJson(report))
    expect(read).toEqual(report)
    expect(summarise(read.run)).toEqual(read.summary)
  })

  it.each([
    ['another version', tampered((copy) => Object.assign(copy, { version: 2 }))],
    ['a field it does not know', tampered((copy) => Object.assign(copy, { note: 'x' }))],
    ['a count that does not follow', tampered((copy) => copy.summary.comparisons++)],
    ['an outcome that does not follow', tampered((copy) => Object.assign(copy.summary, { outcome: 'pass' }))],
    [
      'a comparison better than its differences',
      tampered((copy) => Object.assign(copy.run.comparisons[2]!, { class: 'equal' })),
    ],
    ['a comparison of no row', tampered((copy) => copy.run.rows.pop())],
    ['half of it', writeParityJson(report).slice(0, 200)],
  ])('is refused with %s', (_, text) => {
    expect(() => readParityJson(text)).toThrow()
  })
})

describe('parity.html', () => {
  const html = parityHtml(report)
  const [, embedded = ''] =
    /<script type="application\/json" id="report">([\s\S]*?)<\/script>/.exec(html) ?? []
  const page = html.replace(embedded, '')

  it('carries the report it shows', () => {
    expect(readParityJson(embedded)).toEqual(report)
  })

  it('shows every number of the summary', () => {
    const totals = [...page.matchAll(/<b>(\d+)<\/b>/g)].map(([, number]) => Number(number))
    const { comparisons, counts, coverage } = report.summary
    expect(totals).toEqual([comparisons, ...Object.values(counts), coverage.seen, coverage.documented])
    for (const { status, native, core } of report.summary.rows.flatMap((row) => row.coverage))
      expect(page).toContain(`${status}: native ${native}, core ${core}`)
    for (const { signature, comparisons: met, places } of report.summary.signatures)
      expect(page).toMatch(new RegExp(`id="${signature}"[\\s\\S]{0,400}${met} comparisons, ${places} places`))
  })

  it('needs nothing from elsewhere and fits a phone', () => {
    expect(page).not.toMatch(/(src|href)=|@import|url\(/)
    expect(page).toContain('name="viewport" content="width=device-width')
    expect(page).toContain("default-src 'none'")
  })

  it('takes nothing that it shows for markup', () => {
    expect(page).toContain('counts &lt;script&gt;')
    expect(html.match(/<script/g)).toHaveLength(1)
    const odd = createReport({ ...run, native: '</script><img src=x onerror=alert(1)>' })
    expect(parityHtml(odd)).not.toContain('<img')
    expect(parityHtml(odd).match(/<\/script>/g)).toHaveLength(1)
  })

  it('lists apart where the core departs from the contract', () => {
    const [, ours = '', theirs = ''] = page.split(/<h2>(?:Differences|Core deviations)/)
    expect(ours).toContain('body.ownerId')
    expect(ours).not.toContain('body.trackCount</code>\n<small>1 comparisons, 1 places, blame core')
    expect(theirs).toContain('blame core')
  })
})

describe('a route that was only seen to refuse', () => {
  const refusing = createReport(runOf(['libraries.create'], [refused]))

  it('is inconclusive in the table, on the page and in the JUnit file', () => {
    const lines = formatTable(refusing)
    expect(lines.at(-1)).toMatch(/^inconclusive: /)
    expect(lines[1]).toMatch(/^libraries\.create +inconclusive +1 +1\/4 \(not 201 401 409\)$/)
    const page = parityHtml(refusing)
    expect(page).toContain('<header class="inconclusive">')
    expect(page).toMatch(/data-name="class"><span class="badge inconclusive">/)
    expect(page).toContain('<td data-name="may be promoted">no</td>')
    const xml = formatJunit(refusing)
    expect(xml).toContain('tests="2" failures="0" errors="0" skipped="1"')
    expect(xml).toContain('name="no success was compared"><skipped/>')
  })
})

describe('the JUnit file', () => {
  const xml = formatJunit(report)

  it('has a suite for each route and a case for each comparison', () => {
    expect(xml.match(/<testsuite /g)).toHaveLength(3)
    expect(xml).toContain('<testsuite name="libraries.detail" tests="6" failures="2" errors="2" skipped="0">')
    expect(xml).toContain('name="another owner &lt;script&gt;"')
  })

  it('fails for a regression, errs where nothing could be compared, and names what is accepted', () => {
    expect(xml).toMatch(/name="leaks"><failure message="critical">critical: extra at body\.ownerId/)
    expect(xml).toMatch(/name="hangs"><error message="failed">/)
    expect(xml).toMatch(/name="has links"><system-out>accepted: length/)
  })

  it('shows a route that was never compared as skipped, not as passed', () => {
    expect(xml).toContain('<testsuite name="libraries.create" tests="1" failures="0" errors="0" skipped="1">')
  })

  it('is well-formed whatever a scenario is called', () => {
    const odd = createReport(runOf(['libraries.create'], [{ ...refused, scenario: 'a\u0000"&<\ud800>\'' }]))
    expect(formatJunit(odd)).toContain('name="a\ufffd&quot;&amp;&lt;\ufffd&gt;&#39;"')
  })
})
