import { describe, expect, it } from 'vitest'
import { createThrottledLog } from '#gateway/observability/log.ts'

const createLog = () => {
  const lines: (readonly [string, unknown])[] = []
  let now = 0
  const log = createThrottledLog(
    { error: (fields, message) => lines.push([message, fields.suppressed]) },
    () => now,
  )
  return { lines, log, wait: (ms: number) => (now += ms) }
}
const createError = () => Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })

describe('createThrottledLog', () => {
  it('logs the first error immediately, then one line every ten seconds with the suppressed count', () => {
    const { lines, log, wait } = createLog()
    for (let second = 0; second <= 10; second += 1) {
      log(createError(), 'job failed')
      wait(1000)
    }
    expect(lines).toEqual([
      ['job failed', undefined],
      ['job failed', 9],
    ])
  })

  it('does not suppress errors of a different kind', () => {
    const { lines, log } = createLog()
    log(createError(), 'job failed')
    log(new TypeError('other'), 'job failed')
    log(createError(), 'sweep failed')
    expect(lines).toHaveLength(3)
  })

  it('logs the code of a thrown value that is not an Error', () => {
    const fields: unknown[] = []
    createThrottledLog({ error: ({ failure }) => fields.push(failure) })(
      { code: '57P01', row: 'secret' },
      'lost',
    )
    expect(fields).toEqual([{ thrown: 'object', code: '57P01' }])
  })
})
