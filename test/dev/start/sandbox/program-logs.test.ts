import { describe, expect, it } from 'vitest'
import { formatLogLine } from '#dev/start/sandbox/program-logs.ts'

const format = (line: string) => formatLogLine('jobs', line)

describe('a log line in a terminal', () => {
  it('shows time, level, program, message and fields', () => {
    const line =
      '{"level":"warn","time":"2026-01-02T03:04:05.678Z","instance":"x","queue":"a","job":"b c","msg":"job failed"}'
    const { isUrgent, text } = format(line)
    expect(text).toMatch(/^\d\d:\d\d:05\.678 WARN {2}jobs {6}job failed queue=a job="b c"$/)
    expect(isUrgent).toBe(true)
  })

  it('names a failure, its own place in the code and its causes, without JSON', () => {
    const project = new URL('../../../../', import.meta.url)
    const failure = {
      name: 'Error',
      at: [
        `at queryWithCache (${project}node_modules/drizzle-orm/session.js:41:15)`,
        `at async findVersion (${project}db/queries/audit.ts:17:7)`,
      ],
      cause: { name: 'TypeError', code: 'ECONNREFUSED', reason: 'no host', at: ['at node:net:1:2'] },
    }
    const line = JSON.stringify({ level: 'error', time: 0, failure, route: 'a', msg: 'failed to read' })
    expect(format(line).text).toMatch(
      /failed to read failure=Error at async findVersion \(db\/queries\/audit\.ts:17:7\), caused by TypeError ECONNREFUSED: no host route=a$/,
    )
  })

  it('is urgent from level warn upwards, even if the level is a number', () => {
    const levels = ['"info"', '"warn"', '"error"', 30, 40, 50]
    expect(levels.map((level) => format(`{"level":${level},"time":0,"msg":"x"}`).isUrgent)).toEqual([
      false,
      true,
      true,
      false,
      true,
      true,
    ])
  })

  it('appears without control characters, and otherwise unchanged if it is not JSON', () => {
    expect(format('Error: \u001b[31mred\u001b[0m\u0007').text).toBe('jobs      Error: red')
    expect(format('{"level":"error","time":0,"msg":"\\u001b[2Jx"}').text).toMatch(/ERROR jobs {6}x$/)
  })
})
