import { describe, expect, it } from 'vitest'
import { createThrottledLog } from '#gateway/observability/throttled-log.ts'

const logging = () => {
  const lines: (readonly [string, unknown])[] = []
  let now = 0
  const log = createThrottledLog(
    { error: (fields, message) => lines.push([message, fields.unsaid]) },
    () => now,
  )
  return { lines, log, wait: (ms: number) => (now += ms) }
}
const refused = () => Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })

describe('failures that come again and again', () => {
  it('are told at once, then once in ten seconds with how many were not', () => {
    const { lines, log, wait } = logging()
    for (let second = 0; second <= 10; second += 1) {
      log(refused(), 'a job went wrong')
      wait(1000)
    }
    expect(lines).toEqual([
      ['a job went wrong', undefined],
      ['a job went wrong', 9],
    ])
  })

  it('hide no failure of another kind', () => {
    const { lines, log } = logging()
    log(refused(), 'a job went wrong')
    log(new TypeError('other'), 'a job went wrong')
    log(refused(), 'a sweep went wrong')
    expect(lines).toHaveLength(3)
  })

  it('are told by their code also where no error was thrown', () => {
    const fields: unknown[] = []
    createThrottledLog({ error: ({ failure }) => fields.push(failure) })(
      { code: '57P01', row: 'secret' },
      'lost',
    )
    expect(fields).toEqual([{ thrown: 'object', code: '57P01' }])
  })
})
