import { describe, expect, it } from 'vitest'
import { isDeterministic, isNoise, learnNoise, type Noise, unknownNoise } from '#migration/diff/noise.ts'
import { removeField, replaceResponse, setField } from '../corpus/pairs.ts'
import { compare, contractOf, formatDifferences, recordedResponse } from '../responses.ts'

const moment = '2026-11-20T10:00:00.000Z'
const library = recordedResponse(200, {
  id: 'l1',
  name: 'Demos',
  description: null,
  createdAt: moment,
  updatedAt: moment,
  trackCount: 1,
  shareCount: 0,
})
const label = 'libraries.detail'

const learnAll = (pairs: readonly (readonly [typeof library, typeof library])[]): Noise =>
  pairs.reduce((noise, [core, again]) => learnNoise(noise, contractOf(label), core, again), unknownNoise)

const other = setField('trackCount', 2)(library)

describe('learnNoise', () => {
  it('records the places where the core differs from itself', () => {
    const noise = learnAll([[library, other]])
    expect(formatDifferences(compare(label, setField('trackCount', 3)(library), library, { noise }))).toEqual(
      ['value body.trackCount noise core'],
    )
    expect(formatDifferences(compare(label, setField('name', 'Demo')(library), library, { noise }))).toEqual([
      'value body.name regression native',
    ])
  })

  it('does not treat a difference as noise if it occurs only once in hundreds of pairs', () => {
    const same = Array.from({ length: 400 }, () => [library, library] as const)
    const location = { kind: 'value', path: 'body.trackCount' } as const
    const rare = learnAll([[library, other], ...same])
    expect(isNoise(rare, location)).toBe(false)
    expect(isDeterministic(rare, location)).toBe(false)
    expect(
      isNoise(
        learnAll([...same.slice(0, 40), ...Array.from({ length: 5 }, () => [library, other] as const)]),
        location,
      ),
    ).toBe(true)
  })

  it('classifies a place as neither noisy nor deterministic if no request was repeated', () => {
    const location = { kind: 'value', path: 'body.trackCount' } as const
    expect(isNoise(unknownNoise, location)).toBe(false)
    expect(isDeterministic(unknownNoise, location)).toBe(false)
  })

  it.each([
    ['a status', replaceResponse(404, { error: 'library_not_found' })(library)],
    ['a type', setField('trackCount', '1')(library)],
    ['a format', setField('createdAt', 'yesterday')(library)],
    ['a declared field', removeField('trackCount')(library)],
  ])('never treats %s as noise', (_, changed) => {
    const noise = learnAll([[library, changed]])
    const verdict = compare(label, changed, library, { noise })
    expect(verdict.class).toBe('regression')
  })
})

describe('isNoise', () => {
  const location = { kind: 'value', path: 'body.trackCount' } as const

  // With one disagreement, the bound is 1 - 0.95 ** (1 / pairs).
  it.each([
    [0, 10, false],
    [1, 1, true],
    [1, 5, true],
    [1, 6, false],
    [2, 2, true],
    [5, 10, true],
    [1, 598, false],
    [5, 598, false],
    [100, 10_000, false],
    [5000, 10_000, true],
  ])('for %i disagreements in %i pairs is %s', (disagreements, pairs, expected) => {
    const noise = { pairs, disagreements: new Map([['value body.trackCount', disagreements]]) }
    expect(isNoise(noise, location)).toBe(expected)
  })
})
