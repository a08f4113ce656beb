import { describe, expect, it } from 'vitest'
import { areaOf } from '#migration/model/route-scope.ts'
import { nativeByCode, proxied, reportOf, to } from './report-inputs.ts'

const [first = 'tracks.list', second = 'tracks.list'] = proxied
const [byCode = 'libraries.list'] = nativeByCode
const usageOf = (label: string, cause: string, requests: number) => ({
  label,
  cause,
  requests,
  lastAt: '2026-11-25T10:00:00.000Z',
})

describe('the remaining rows', () => {
  it('are those that native does not serve completely, with what the core served to clients', () => {
    const { remaining, sentences } = reportOf([['2026-11-03T10:00:00Z', second, to('canary', 2500)]], {
      usage: [
        usageOf(first, 'state', 30),
        usageOf(first, 'shadow', 500),
        usageOf(second, 'bucket', 1200),
        usageOf(second, 'fallback', 3),
        usageOf(byCode, 'fallback', 2),
        usageOf('unmatched', 'state', 7),
      ],
    })
    expect(remaining.rows).toBe(proxied.length)
    const routes = remaining.areas.flatMap((area) => area.routes)
    expect(routes.map(({ label }) => label).toSorted()).toEqual(proxied.toSorted())
    expect(routes.find(({ label }) => label === second)).toEqual({
      label: second,
      state: 'canary at 25 %',
      requests: 1203,
      causes: [
        { cause: 'bucket', requests: 1200 },
        { cause: 'fallback', requests: 3 },
      ],
      obstacles: [],
    })
    expect(routes.find(({ label }) => label === first)).toMatchObject({
      requests: 30,
      causes: [{ cause: 'state', requests: 30 }],
    })
    expect(remaining.areas[0]?.area).toBe(areaOf(second))
    expect(remaining.nativeWithCoreRequests.map(({ label, requests }) => [label, requests])).toEqual([
      [byCode, 2],
    ])
    expect(remaining.unmatchedRequests).toBe(7)
    expect(sentences.summary).toContain(
      'The core served 1,242 client requests in the last 7 days, 7 of them on paths that match no route.',
    )
  })

  it('list what keeps each row from moving', () => {
    const { remaining } = reportOf(
      [
        ['2026-11-03T10:00:00Z', first, { held: true }, { action: 'hold' }],
        ['2026-11-04T10:00:00Z', `${areaOf(byCode)}.*`, { killed: true }, { action: 'kill' }],
      ],
      {
        instance: {
          hasHandler: (label) => label !== first,
          findMissingSettings: (label) => (label === byCode ? 'EMAIL_API_KEY is unset' : undefined),
        },
      },
    )
    const routes = remaining.areas.flatMap((area) => area.routes)
    const obstaclesOf = (wanted: string) => routes.find(({ label }) => label === wanted)?.obstacles
    expect(obstaclesOf(first)).toEqual([`held by ${first}`, 'no handler'])
    expect(obstaclesOf(byCode)).toEqual([`killed by ${areaOf(byCode)}.*`, 'EMAIL_API_KEY is unset'])
  })

  it('are shown without request counts if there is no record of what the core served', () => {
    const { remaining, sentences } = reportOf([], { usage: null })
    expect([remaining.areas[0]?.requests, remaining.unmatchedRequests]).toEqual([null, null])
    expect(sentences.summary).toContain(
      'There is no longer a record of what the core served in the last 7 days of the month.',
    )
  })
})
