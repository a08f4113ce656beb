import { describe, expect, it } from 'vitest'
import { lowerBound } from '#migration/diff/confidence.ts'
import { isNoise, isSteady, learnNoise, type Noise, noNoise } from '#migration/diff/noise.ts'
import { answer, compare, contractOf, linesOf } from '../answers.ts'
import { drop, instead, set } from '../corpus/pairs.ts'

const moment = '2026-11-20T10:00:00.000Z'
const library = answer(200, {
  id: 'l1',
  name: 'Demos',
  description: null,
  createdAt: moment,
  updatedAt: moment,
  trackCount: 1,
  shareCount: 0,
})
const label = 'libraries.detail'

const learnt = (pairs: readonly (readonly [typeof library, typeof library])[]): Noise =>
  pairs.reduce((noise, [core, again]) => learnNoise(noise, contractOf(label), core, again), noNoise)

const other = set('trackCount', 2)(library)

describe('noise', () => {
  it('is what the core itself answers now so, now so', () => {
    const noise = learnt([[library, other]])
    expect(linesOf(compare(label, set('trackCount', 3)(library), library, { noise }))).toEqual([
      'value body.trackCount noise core',
    ])
    expect(linesOf(compare(label, set('name', 'Demo')(library), library, { noise }))).toEqual([
      'value body.name regression native',
    ])
  })

  it('is not what happened once in hundreds of times', () => {
    const same = Array.from({ length: 400 }, () => [library, library] as const)
    const spot = { kind: 'value', path: 'body.trackCount' } as const
    const rare = learnt([[library, other], ...same])
    expect(isNoise(rare, spot)).toBe(false)
    expect(isSteady(rare, spot)).toBe(false)
    expect(
      isNoise(
        learnt([...same.slice(0, 40), ...Array.from({ length: 5 }, () => [library, other] as const)]),
        spot,
      ),
    ).toBe(true)
  })

  it('is nothing where the core was asked once', () => {
    const spot = { kind: 'value', path: 'body.trackCount' } as const
    expect(isNoise(noNoise, spot)).toBe(false)
    expect(isSteady(noNoise, spot)).toBe(false)
  })

  it.each([
    ['a status', instead(404, { error: 'library_not_found' })(library)],
    ['a type', set('trackCount', '1')(library)],
    ['a form', set('createdAt', 'yesterday')(library)],
    ['a field of the contract', drop('trackCount')(library)],
  ])('is never %s', (_, odd) => {
    const noise = learnt([[library, odd]])
    const verdict = compare(label, odd, library, { noise })
    expect(verdict.class).toBe('regression')
  })
})

describe('the lower bound of a rate', () => {
  // Of k in n: the rate at which as many are seen once in twenty times.
  it.each([
    [0, 10, 0],
    [1, 1, 0.05],
    [2, 2, Math.sqrt(0.05)],
    [5, 5, 0.05 ** (1 / 5)],
    [1, 10, 1 - 0.95 ** (1 / 10)],
    [1, 598, 1 - 0.95 ** (1 / 598)],
    [5, 10, 0.22244],
    [50, 100, 0.41362],
  ])('of %i in %i is %f', (hits, trials, expected) => {
    expect(lowerBound(hits, trials)).toBeCloseTo(expected, 4)
  })

  it('stays a number in ten thousand trials', () => {
    expect(lowerBound(5000, 10_000)).toBeCloseTo(0.4918, 3)
  })
})
