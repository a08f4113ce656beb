import { describe, expect, it } from 'vitest'
import { labels } from '#contracts/shared/row.ts'
import { findCompletionDays } from '#migration/routing/report/expect-completion.ts'
import { createRandom } from '#test/support/random.ts'
import { nativeByCode, now, proxied, reportOf, to } from './report-inputs.ts'

const day = 86_400_000
const ago = (days: number) => new Date(now - days * day).toISOString()
const movesOf = (count: number, daysAgo: (index: number) => number) =>
  proxied.slice(0, count).map((label, index) => [ago(daysAgo(index)), label, to('native')] as const)

describe('the expected completion', () => {
  it.each([
    ['without any move', [], 0],
    ['with two moves', movesOf(2, (index) => 40 - index), 2],
    ['with many moves within a few days', movesOf(5, (index) => 6 - index), 5],
  ] as const)('is not predicted %s', (_, steps, moves) => {
    const { completion, sentences } = reportOf(steps)
    expect(completion).toMatchObject({
      outcome: 'unknown',
      moves,
      dates: null,
      remaining: proxied.length - moves,
    })
    expect(sentences.completion[0]).toMatch(/^Too few moves to tell when the last /)
  })

  it('has an interval around its median, and says how it is calculated and what it assumes', () => {
    const { completion, sentences } = reportOf(movesOf(6, (index) => 60 - index * 10))
    const { dates } = completion
    expect(completion).toMatchObject({ outcome: 'expected', moves: 6, observedDays: 60 })
    expect([dates?.earliest, dates?.median, dates?.latest].toSorted()).toEqual([
      dates?.earliest,
      dates?.median,
      dates?.latest,
    ])
    expect(sentences.completion.join(' ')).toMatch(/probability of 80 %.*calculated: .*assumes: /)
    expect(sentences.limits[0]).toMatch(/^Callers who bypass the gateway are invisible/)
  })

  it('is nearer with a higher pace', () => {
    const slow = reportOf(movesOf(6, (index) => 60 - index * 10)).completion.dates
    const fast = reportOf(movesOf(12, (index) => 60 - index * 5)).completion.dates
    expect(Date.parse(fast?.latest ?? '')).toBeLessThan(Date.parse(slow?.latest ?? ''))
  })

  it('does not count moves that were undone, nor those of more than 90 days ago', () => {
    const [undone = 'tracks.list', killed = 'tracks.list', old = 'tracks.list', ...others] = proxied
    const { completion } = reportOf([
      [ago(120), old, to('native')],
      [ago(50), undone, to('native')],
      [ago(49), undone, to('shadow'), { action: 'rollback', who: 'auto' }],
      [ago(40), killed, to('native')],
      ...others.slice(0, 4).map((label, index) => [ago(30 - index), label, to('native')] as const),
      [ago(3), killed, { killed: true }, { action: 'kill' }],
    ])
    expect(completion).toMatchObject({ moves: 4, observedDays: 90, remaining: proxied.length - 5 })
  })

  it('is over when native serves every row', () => {
    const { completion, sentences } = reportOf(movesOf(proxied.length, () => 20))
    expect(completion).toMatchObject({ outcome: 'complete', remaining: 0, dates: null })
    expect(sentences.summary[0]).toBe(`Native serves all ${labels.length} rows of the route table.`)
  })

  it('counts what is native by the code as no move', () => {
    const [byCode = 'libraries.list'] = nativeByCode
    const steps = movesOf(3, (index) => 40 - index)
    const { completion } = reportOf([...steps, [ago(2), byCode, { held: true }, { action: 'hold' }]])
    expect(completion.moves).toBe(3)
  })
})

describe('the interval of 80 %', () => {
  // A pace is drawn, moves are observed, and the rest is simulated.
  it('contains the date of simulated migrations about as often as it says', () => {
    const random = createRandom(20261125)
    const exponential = () => -Math.log(1 - random())
    const [rounds, moves, remaining] = [4000, 5, 12]
    const [low = 0, high = 0] = [0.1, 0.9].map((each) =>
      findCompletionDays(each, remaining, { moves, days: 1 }),
    )
    let contained = 0
    for (let round = 0; round < rounds; round++) {
      const rate = 0.02 + 0.2 * random()
      const arrive = (count: number) => {
        let at = 0
        for (let index = 0; index < count; index++) at += exponential() / rate
        return at
      }
      const observed = arrive(moves)
      const completed = arrive(remaining)
      if (completed > low * observed && completed < high * observed) contained++
    }
    expect(contained / rounds).toBeGreaterThan(0.77)
    expect(contained / rounds).toBeLessThan(0.83)
  })
})
