import { describe, expect, it } from 'vitest'
import { confirm, nativeUnavailableReason, needsConfirmation } from '#migration/diff/confirm.ts'
import type { Observation } from '#migration/diff/recorded-response.ts'
import { compare, formatDifferences, recordedResponse } from '../responses.ts'

const createLibrary = (fields: object = {}) =>
  recordedResponse(200, {
    id: 'l1',
    name: 'Demos',
    description: null,
    createdAt: moment,
    updatedAt: moment,
    trackCount: 1,
    shareCount: 0,
    ...fields,
  })
const moment = '2026-11-20T10:00:00.000Z'

const compareWith = (native: Observation, core: Observation = createLibrary()) =>
  compare('libraries.detail', native, core)

const counted = compareWith(createLibrary({ trackCount: 2 }))
const renamed = compareWith(createLibrary({ name: 'Demo' }))
const leaking = compareWith(createLibrary({ ownerId: 'acct_owner' }))
const equal = compareWith(createLibrary())
const timedOut = compareWith({ failure: 'timeout' })

describe('needsConfirmation', () => {
  it('is true for regressions and leaks only', () => {
    expect([counted, leaking].map(needsConfirmation)).toEqual([true, true])
    expect([equal, timedOut, compareWith(createLibrary({ colour: 'blue' }))].map(needsConfirmation)).toEqual([
      false,
      false,
      false,
    ])
  })
})

describe('confirm', () => {
  it('keeps a regression that occurs again', () => {
    expect(formatDifferences(confirm(counted, counted))).toEqual(['value body.trackCount regression unknown'])
  })

  it('classifies a regression that does not occur again as transient', () => {
    expect(confirm(counted, equal)).toMatchObject({ class: 'transient' })
    expect(formatDifferences(confirm(counted, renamed))).toEqual([
      'value body.trackCount transient unknown',
      'value body.name transient unknown',
    ])
  })

  it.each([502, 503, 504])('classifies a native %i that occurs only once as not comparable', (status) => {
    const busy = compareWith(recordedResponse(status, { error: 'libraries_database_unavailable' }))
    for (const verdict of [confirm(busy, equal), confirm(counted, busy)])
      expect(verdict.differences).toContainEqual(
        expect.objectContaining({ class: 'not_comparable', reason: nativeUnavailableReason }),
      )
    expect(busy).toMatchObject({ class: 'regression' })
    expect(confirm(busy, busy)).toMatchObject({ class: 'regression' })
  })

  it('classifies a leak as critical even if it occurs only once', () => {
    expect(confirm(leaking, equal)).toMatchObject({ class: 'critical' })
    expect(confirm(counted, leaking)).toMatchObject({ class: 'critical' })
  })

  it('keeps the first verdict if the second run failed', () => {
    expect(confirm(counted, timedOut)).toBe(counted)
  })
})

describe('compareResponses without a response', () => {
  it.each([
    [{ failure: 'timeout' }, createLibrary(), 'native'],
    [createLibrary(), { failure: 'unreachable' }, 'core'],
    [{ failure: 'truncated' }, { failure: 'too_large' }, 'both'],
  ] as const)('fails the comparison and blames $2', (native, core, blame) => {
    const verdict = compareWith(native, core)
    expect(verdict).toMatchObject({ class: 'failed', differences: [{ class: 'failed', blame }] })
    expect([verdict.native, verdict.core]).toEqual([
      'status' in native ? 200 : null,
      'status' in core ? 200 : null,
    ])
  })
})
