import { describe, expect, it } from 'vitest'
import { compareLive, confirmLive } from '#migration/diff/compare-live.ts'
import type { RecordedResponse } from '#migration/diff/recorded-response.ts'
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
