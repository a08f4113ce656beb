import { describe, expect, it } from 'vitest'
import { report } from '#migration/cli/read-verbs.ts'
import { MigrationReport } from '#migration/model/report/migration-report.ts'
import { formatReportMarkdown } from '#migration/model/report/report-tables.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'

describe('npm run routes -- report', () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })
  const requested: string[] = []
  const run = async (...args: string[]) => {
    const { json, text } = await report.run(args, async (schema, method, path) => {
      requested.push(path)
      const { body } = await gateway.requestAdmin(method, path, { token: operatorTokens.rob })
      return schema.parse(body)
    })
    return { json: MigrationReport.parse(json), text }
  }

  it('prints the sentences and the tables', async () => {
    const { json, text } = await run()
    const lines = text.split('\n')
    expect(lines[0]).toMatch(/^Migration report, [A-Z][a-z]+ 20\d\d$/)
    expect(text.replaceAll(/\n {2}/g, ' ')).toContain(json.sentences.summary[0])
    expect(lines).toContain('No route moved.')
    expect(text).toMatch(/^State +Routes +Percentage$/m)
    expect(text).toMatch(/^tracks\.create +proxy +0/m)
    expect(text).toContain('Not counted: callers who bypass the gateway')
  })

  it('prints Markdown, and the report of a different month', async () => {
    const { json, text } = await run('--markdown', '--month', '2024-02')
    expect(requested.at(-1)).toBe('/api/report?month=2024-02')
    expect([json.month, json.days.length]).toEqual(['2024-02', 29])
    expect(`${text}\n`).toBe(formatReportMarkdown(json))
    expect(text).toMatch(
      /^# Migration report, February 2024\n\nAs of the end of 2024-02-29 \(UTC\); made at /,
    )
  })

  it('rejects two formats at the same time', async () => {
    await expect(run('--markdown', '--json')).rejects.toThrow('use either --markdown or --json')
  })
})
