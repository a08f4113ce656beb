import { describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { compareLive, confirmLive } from '#migration/diff/compare-live.ts'
import type { RecordedResponse } from '#migration/diff/recorded-response.ts'
import { isRegression } from '#migration/diff/verdict.ts'
import { recordedResponse, rules } from '../responses.ts'

const empty = recordedResponse(200, { records: [] })
const leaking = recordedResponse(200, { records: [], ownerId: 'acct_a' })
const failed = (status: number) => recordedResponse(status, { error: 'internal_error' })
const live = (native: RecordedResponse) => ({ label: 'libraries.list', query: '', native }) as const

describe('live responses', () => {
  it.each([
    ['the core is unavailable', empty, failed(502), 'core_unavailable'],
    ['both sides fail', failed(500), failed(500), 'both_failed'],
    ['the core limits the rate', empty, failed(429), 'rate_limited'],
    [
      'the core served both',
      recordedResponse(200, { records: [] }, { 'x-service-core-runtime': 'proxy' }),
      empty,
      'same_side',
    ],
  ])("are not comparable if %s, whether before or after native's response", (_, native, core, reason) => {
    const excluded = { kind: 'not_comparable', reason }
    expect(compareLive(live(native), core, rules)).toEqual(excluded)
    expect(confirmLive(live(native), { before: core, after: empty, first: null }, rules)).toEqual(excluded)
    expect(confirmLive(live(native), { before: empty, after: core, first: null }, rules)).toEqual(excluded)
  })

  it('are compared if only native fails', () => {
    expect(compareLive(live(failed(500)), empty, rules)).toMatchObject({ class: 'regression' })
  })

  it('reveal a leak even if the core fails', () => {
    expect(compareLive(live(leaking), failed(502), rules)).toMatchObject({ class: 'critical' })
    expect(
      confirmLive(live(leaking), { before: failed(502), after: empty, first: null }, rules),
    ).toMatchObject([{ class: 'critical' }])
  })
})

describe('live responses that were made from the same rows', () => {
  const day = (date: number) => `2026-11-${date}T10:00:00.000Z`
  const library = { id: 'l1', name: 'A', description: null, createdAt: day(10), updatedAt: day(11) }
  const libraryWith = (fields: object) =>
    recordedResponse(200, { ...library, trackCount: 0, shareCount: 0, ...fields })
  const linkWith = (fields: object) =>
    recordedResponse(200, {
      records: [
        {
          id: 'k1',
          trackId: 't1',
          name: null,
          status: 'active',
          tokenPreview: 'AAAA',
          expiresAt: null,
          revokedAt: null,
          createdAt: day(10),
          updatedAt: day(10),
          ...fields,
        },
      ],
    })
  const playbackOf = (object: string, fields: object = {}) =>
    recordedResponse(200, {
      trackId: 't1',
      versionId: 'v1',
      assetId: 'a1',
      url: `https://store.example/bucket/${object}?X-Amz-Expires=3600&X-Amz-Signature=${object}`,
      contentType: 'audio/wav',
      byteSize: 1,
      durationMs: 1,
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
      ...fields,
    })
  const pathsOf = (label: Label, native: RecordedResponse, core: RecordedResponse) => {
    const compared = compareLive({ label, query: '', native }, core, { ...rules, isSameState: true })
    return 'differences' in compared ? compared.differences.filter(isRegression).map(({ path }) => path) : []
  }

  it.each<[string, Label, RecordedResponse, RecordedResponse]>([
    ['body.createdAt', 'libraries.detail', libraryWith({ createdAt: day(12) }), libraryWith({})],
    [
      'body.records.*.tokenPreview',
      'tracks.share-links.list',
      linkWith({ tokenPreview: 'BBBB' }),
      linkWith({}),
    ],
    ['body.url', 'tracks.playback-url.issue', playbackOf('1/2'), playbackOf('1/1')],
    [
      'body.nextCursor',
      'tracks.list',
      recordedResponse(200, { records: [], nextCursor: 'b' }),
      recordedResponse(200, { records: [], nextCursor: 'a' }),
    ],
  ])('must be equal at %s', (path, label, native, core) => {
    expect(pathsOf(label, native, core)).toEqual([path])
    expect(pathsOf(label, core, core)).toEqual([])
    const confirmed = (after: RecordedResponse) =>
      confirmLive({ label, query: '', native }, { before: core, after, first: null }, rules)
    expect(confirmed(core)).toMatchObject([{ path }])
    expect(confirmed(native)).toEqual([])
  })

  it('may have different times if the rows have just changed or the response contains its own time', () => {
    const [earlier, later] = [-60_000, 0].map((ms) => new Date(Date.now() + ms).toISOString())
    expect(
      pathsOf('libraries.detail', libraryWith({ updatedAt: later }), libraryWith({ updatedAt: earlier })),
    ).toEqual([])
    const inAnHour = new Date(Date.now() + 3_660_000).toISOString()
    expect(
      pathsOf('tracks.playback-url.issue', playbackOf('1/1', { expiresAt: inAnHour }), playbackOf('1/1')),
    ).toEqual([])
  })
})
