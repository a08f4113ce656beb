import { beforeAll, describe, expect, it } from 'vitest'
import { formatAuditCsv } from '#migration/console/pages/audit-page.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'
import { createConsoleClient } from './browse.ts'

const reasons = ['=HYPERLINK("http://evil.example")', 'a "quoted", plain reason']

describe('the audit in the console', () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })
  const { get, signIn } = createConsoleClient(gateway)

  beforeAll(async () => {
    for (const [kind, reason] of [
      ['hold', reasons[0]],
      ['kill', reasons[1]],
    ])
      await gateway.requestAdmin('POST', '/api/routes/tracks.list/changes', {
        token: operatorTokens.alice,
        body: { change: { kind }, reason },
      })
  })

  const listActions = async (query: string) => {
    const { status, body } = await get(`/console/audit.jsonl?${query}`, await signIn('rob'))
    expect(status).toBe(200)
    return String(body)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line).action)
  }

  it.each([
    ['', ['kill', 'hold']],
    ['action=hold', ['hold']],
    ['who=alice&scope=tracks.list', ['kill', 'hold']],
    ['who=bob', []],
    ['from=2000-01-01T00:00', ['kill', 'hold']],
    ['to=2000-01-01T00:00', []],
    ['from=2100-01-01T00:00', []],
  ])('lists the changes that match the filter "%s"', async (query, actions) => {
    expect(await listActions(query)).toEqual(actions)
  })

  it('says which field of the filter is wrong', async () => {
    const { status, body } = await get('/console/audit?from=yesterday', await signIn('rob'))
    expect([status, body]).toEqual([400, expect.stringContaining('from')])
  })

  it('exports CSV without formulas, even if a reason looks like one', async () => {
    const { body, headers } = await get('/console/audit.csv', await signIn('rob'))
    expect(headers.get('content-disposition')).toBe('attachment; filename="audit.csv"')
    expect(body).toContain(`"'=HYPERLINK(""http://evil.example"")"`)
    expect(body).toContain('"a ""quoted"", plain reason"')
  })

  it.each(['=1', '+1', '-1', '@a', '\t=1', '\r=1', '\n=1'])('does not turn %j into a formula', (reason) => {
    const entry = { id: '1', at: '', who: '', scope: '', action: '', before: null, after: null, epoch: 1 }
    expect(formatAuditCsv([{ ...entry, reason }])).toContain(`"'${reason}"`)
  })
})
