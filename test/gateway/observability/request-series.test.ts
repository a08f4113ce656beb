import { describe, expect, it } from 'vitest'
import { createRequestSeries } from '#gateway/observability/request-series.ts'

type FindSeries = ReturnType<typeof createRequestSeries>
type Outcome = Parameters<FindSeries>[1]

const outcome: Outcome = {
  label: 'packs.list',
  runtime: 'proxy',
  reason: 'static',
  epoch: 0,
  fallbackReason: null,
  isReplayed: false,
  error: undefined,
  unauthorizedReason: null,
}

const others: readonly [string, Parameters<FindSeries>][] = [
  ['method', ['HEAD', outcome, 200]],
  ['status', ['GET', outcome, 404]],
  ['route', ['GET', { ...outcome, label: 'tracks.list' }, 200]],
  ['runtime', ['GET', { ...outcome, runtime: 'native' }, 200]],
  ['reason', ['GET', { ...outcome, reason: 'split' }, 200]],
  ['epoch', ['GET', { ...outcome, epoch: 3 }, 200]],
  ['fallback', ['GET', { ...outcome, fallbackReason: 'timeout' }, 200]],
  ['replay', ['GET', { ...outcome, isReplayed: true }, 200]],
  ['error', ['GET', { ...outcome, error: 'core_timeout' }, 200]],
  ['reason of a 401', ['GET', { ...outcome, unauthorizedReason: 'issuer' }, 200]],
]

describe('createRequestSeries', () => {
  it('formats a series once', () => {
    const find = createRequestSeries()
    expect(find('GET', { ...outcome }, 200)).toBe(find('GET', { ...outcome }, 200))
  })

  it.each(others)('tells series with another %s apart', (_name, other) => {
    const find = createRequestSeries()
    const { members } = find('GET', outcome, 200)
    expect(find(...other).members).not.toBe(members)
    expect(find('GET', outcome, 200).members).toBe(members)
  })

  it('has the same members as bytes', () => {
    const { members, bytes } = createRequestSeries()('GET', outcome, 200)
    expect(Buffer.from(bytes).toString()).toBe(members)
  })

  it('forgets the series of a route whose epochs are too many', () => {
    const find = createRequestSeries()
    const first = find('GET', outcome, 200)
    for (let epoch = 1; epoch < 1000; epoch++) find('GET', { ...outcome, epoch }, 200)
    expect(find('GET', outcome, 200)).not.toBe(first)
    expect(find('GET', outcome, 200).members).toBe(first.members)
  })
})
