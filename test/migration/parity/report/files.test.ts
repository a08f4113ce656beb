import { describe, expect, it } from 'vitest'
import { formatJunit } from '#migration/parity/report/junit.ts'
import { formatParityHtml } from '#migration/parity/report/parity-html.ts'
import {
  createReport,
  formatParityJson,
  type ParityReport,
  summarise,
} from '#migration/parity/report/summary.ts'
import { formatTable } from '#migration/parity/report/table.ts'
import { createRun, detail, emptyReviewLinks, invalidNameComparison } from './run.ts'

const run = createRun(
  ['libraries.detail', 'libraries.create', 'tracks.split-sheet.share-links.list'],
  [
    detail.same,
    detail.absent,
    detail.counted,
    detail.leaking,
    detail.drifting,
    detail.silent,
    emptyReviewLinks,
  ],
)
const report = createReport(run)

describe('parity.json', () => {
  it('can be parsed back into the report, with the summary of its run', () => {
    const read: ParityReport = JSON.parse(formatParityJson(report))
    expect(read).toEqual(report)
    expect(summarise(read.run)).toEqual(read.summary)
  })
})

describe('parity.html', () => {
  const html = formatParityHtml(report)
  const [, embedded = ''] =
    /<script type="application\/json" id="report">([\s\S]*?)<\/script>/.exec(html) ?? []
  const page = html.replace(embedded, '')

  it('embeds the report', () => {
    expect(JSON.parse(embedded)).toEqual(report)
  })

  it('shows every number of the summary', () => {
    const totals = [...page.matchAll(/<b>([\d of]+)<\/b>/g)].map(([, number]) => number)
    const { comparisons, counts, coverage } = report.summary
    expect(totals).toEqual([
      ...[comparisons, ...Object.values(counts)].map(String),
      `${coverage.seen} of ${coverage.documented}`,
    ])
    for (const { status, native, core } of report.summary.rows.flatMap((row) => row.coverage))
      expect(page).toContain(`${status}: native ${native}, core ${core}`)
    for (const { signature, comparisons: met, places } of report.summary.signatures)
      expect(page).toMatch(
        new RegExp(`id="${signature}"[\\s\\S]{0,400}${met} comparisons?, ${places} places?`),
      )
  })

  it('loads no external resources and sets the viewport', () => {
    expect(page).not.toMatch(/src=|href="[^#]|@import|url\(/)
    expect(page).toContain('name="viewport" content="width=device-width')
    expect(page).toContain('default-src &#39;none&#39;; style-src &#39;sha256-')
  })

  it('escapes all values', () => {
    expect(page).toContain('counts &lt;script&gt;')
    expect(html.match(/<script/g)).toHaveLength(2)
    const changed = createReport({ ...run, native: '</script><img src=x onerror=alert(1)>' })
    expect(formatParityHtml(changed)).not.toContain('<img')
    expect(formatParityHtml(changed).match(/<\/script>/g)).toHaveLength(2)
  })

  it("lists the core's deviations from the contract in a separate section", () => {
    const [, differences = '', coreDeviations = ''] = page.split(/<h2>(?:Differences|Core deviations)/)
    expect(differences).toContain('body.?')
    expect(differences).not.toContain(
      'body.trackCount</code>\n<small class="muted">1 comparisons, 1 places, blame core',
    )
    expect(coreDeviations).toContain('blame core')
  })
})

describe("a run's warnings", () => {
  const warned = createReport({ ...run, warnings: ['libraries.list: <b>nothing</b> seen'] })

  it('are in the table, on the page and in the JUnit file', () => {
    expect(formatTable(warned)).toContain('warning: libraries.list: <b>nothing</b> seen')
    expect(formatParityHtml(warned)).toContain('<li>libraries.list: &lt;b&gt;nothing&lt;/b&gt; seen</li>')
    expect(formatJunit(warned)).toContain('<system-out>libraries.list: &lt;b&gt;nothing&lt;/b&gt; seen<')
  })
})

describe('a route for which no success was compared', () => {
  const inconclusive = createReport(createRun(['libraries.create'], [invalidNameComparison]))

  it('is reported as inconclusive in the table and on the page, and as skipped in the JUnit file', () => {
    const lines = formatTable(inconclusive)
    expect(lines.at(-1)).toMatch(/^inconclusive: /)
    expect(lines[1]).toMatch(/^libraries\.create +inconclusive +1 +1\/4 \(not 201 401 409\)$/)
    const page = formatParityHtml(inconclusive)
    expect(page).toContain('<h1>At least one route was compared only in error cases, or not at all</h1>')
    expect(page).toMatch(/data-name="Verdict"><span class="badge warn">inconclusive</)
    expect(page).toContain('<td data-name="May be promoted">no</td>')
    const xml = formatJunit(inconclusive)
    expect(xml).toContain('tests="2" failures="0" errors="0" skipped="1"')
    expect(xml).toContain('name="no successful response was compared" time="0.000"><skipped/>')
  })
})

describe('formatJunit', () => {
  const xml = formatJunit(report)

  it('writes a suite for each route and a case for each comparison', () => {
    expect(xml.match(/<testsuite /g)).toHaveLength(3)
    expect(xml).toContain('<testsuite name="libraries.detail" tests="6" failures="2" errors="2" skipped="0" ')
    expect(xml).toContain('name="another owner &lt;script&gt;"')
  })

  it('writes a failure for a leak, an error for a failed comparison, and output for an accepted difference', () => {
    expect(xml).toMatch(/name="leaks" time="0.000"><failure message="critical">critical: extra at body\.\?/)
    expect(xml).toMatch(/name="hangs" time="0.000"><error message="failed">/)
    expect(xml).toMatch(/name="has links" time="0.000"><system-out>accepted: length/)
  })

  it('writes a skipped case for a route without comparisons', () => {
    expect(xml).toContain('<testsuite name="libraries.create" tests="1" failures="0" errors="0" skipped="1" ')
  })

  it('escapes scenario titles', () => {
    const changed = createReport(
      createRun(['libraries.create'], [{ ...invalidNameComparison, scenario: 'a\u0000"&<\ud800>\'' }]),
    )
    expect(formatJunit(changed)).toContain('name="a\ufffd&quot;&amp;&lt;\ufffd&gt;&#39;"')
  })
})
