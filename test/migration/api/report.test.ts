import { beforeAll, describe, expect, it } from 'vitest'
import { MigrationReport } from '#migration/model/report/migration-report.ts'
import { formatReportMarkdown } from '#migration/model/report/report-tables.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'

describe('the report', () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })

  const get = (path: string, token: string = operatorTokens.rob) =>
    gateway.requestAdmin('GET', path, { token })

  beforeAll(async () => {
    const body = { change: { kind: 'shadow' }, reason: 'a | *bold* # reason' }
    const path = '/api/routes/packs.list/changes'
    const { status } = await gateway.requestAdmin('POST', path, { token: operatorTokens.alice, body })
    expect(status).toBe(200)
  })

  it('covers the current month by default, and has the same content as Markdown', async () => {
    const { body } = await get('/api/report')
    expect(body.month).toBe(new Date().toISOString().slice(0, 7))
    const { status, headers, body: text } = await get('/api/report.md')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
    const withoutTime = (markdown: string) => markdown.replace(/^As of .*$/m, '')
    expect(withoutTime(text)).toBe(withoutTime(formatReportMarkdown(MigrationReport.parse(body))))
    expect(text).toContain('Not counted: callers who bypass the gateway')
    // Text that a person typed is not treated as markup.
    expect(text).toContain('| a \\| \\*bold\\* \\# reason |')
  })

  it.each(['2026-13', '26-01', '2026-1', 'soon', '2026-01-01', '1999-01', '2098-01'])(
    'rejects the month %s',
    async (month) => {
      for (const path of ['/api/report', '/api/report.md']) {
        const { status, body } = await get(`${path}?month=${month}`)
        expect([status, body.error, body.issues[0].path]).toEqual([400, 'validation_error', 'month'])
      }
    },
  )

  it('requires an operator with read permission', async () => {
    expect((await get('/api/report', operatorTokens.ci)).status).toBe(403)
    expect((await get('/api/report.md', 'unknown')).status).toBe(401)
    expect((await get('/api/report?days=3')).status).toBe(400)
  })
})
