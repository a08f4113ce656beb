import { beforeAll, describe, expect, it } from 'vitest'
import { MigrationReport } from '#migration/model/report/migration-report.ts'
import { formatReportMarkdown } from '#migration/model/report/report-tables.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'
import { createConsoleClient } from './browse.ts'

const month = new Date().toISOString().slice(0, 7)

describe('the report in the console', () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })
  const { get, signIn } = createConsoleClient(gateway)

  beforeAll(async () => {
    const body = { change: { kind: 'shadow' }, reason: 'a <b>bold</b> reason' }
    await gateway.requestAdmin('POST', '/api/routes/tracks.list/changes', {
      token: operatorTokens.alice,
      body,
    })
  })

  it('shows the figures and a chart, and escapes HTML in reasons', async () => {
    const { status, body } = await get('/console/report', await signIn('rob'))
    expect(status).toBe(200)
    expect(body).toMatch(/<td data-name="From" class="">proxy<\/td><td data-name="To" class="">shadow<\/td>/)
    expect(body).toContain('a &lt;b&gt;bold&lt;/b&gt; reason')
    expect(body).toMatch(/aria-label="Routes by state at the end of each day. Latest: native-only \d+, /)
    expect(body).toContain('<path class="state-shadow"')
    expect(body).toContain('Not counted: callers who bypass the gateway')
    expect(body).toContain(`<input type="month" name="month" value="${month}" max="${month}"`)
    // The page's content security policy forbids inline styles and scripts.
    expect(body).not.toMatch(/ style=|<style|<script>/)
  })

  it('offers the same report as files', async () => {
    const cookie = await signIn('rob')
    const json = await get(`/console/report.json?month=${month}`, cookie)
    const markdown = await get(`/console/report.md?month=${month}`, cookie)
    const nameOf = ({ headers }: typeof json) => headers.get('content-disposition')
    expect([json.headers.get('content-type'), nameOf(json)]).toEqual([
      'application/json; charset=utf-8',
      `attachment; filename="migration-${month}.json"`,
    ])
    expect([markdown.headers.get('content-type'), nameOf(markdown)]).toEqual([
      'text/markdown; charset=utf-8',
      `attachment; filename="migration-${month}.md"`,
    ])
    const withoutTime = (text: string) => text.replace(/^As of .*$/m, '')
    const expected = formatReportMarkdown(MigrationReport.parse(json.body))
    expect(withoutTime(markdown.body)).toBe(withoutTime(expected))
  })

  it.each(['/console/report', '/console/report.md', '/console/report.json'])(
    'rejects a month in the future at %s, and requires a session',
    async (path) => {
      const { status, body } = await get(`${path}?month=2098-01`, await signIn())
      expect([status, body]).toEqual([400, expect.stringContaining('month must not be in the future.')])
      expect((await get(path)).status).toBe(303)
    },
  )
})
