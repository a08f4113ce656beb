import { describe, expect, it } from 'vitest'
import { confirm, needsConfirmation } from '#migration/diff/confirm.ts'
import type { Observation } from '#migration/diff/recorded-response.ts'
import { answer, compare, linesOf } from '../answers.ts'

const found = (fields: object = {}) =>
  answer(200, {
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

const against = (native: Observation, core: Observation = found()) =>
  compare('libraries.detail', native, core)

const counted = against(found({ trackCount: 2 }))
const renamed = against(found({ name: 'Demo' }))
const leaking = against(found({ ownerId: 'acct_owner' }))
const equal = against(found())
const silent = against({ failure: 'timeout' })

describe('a mismatch', () => {
  it('asks to be seen again when it is grave', () => {
    expect([counted, leaking].map(needsConfirmation)).toEqual([true, true])
    expect([equal, silent, against(found({ colour: 'blue' }))].map(needsConfirmation)).toEqual([
      false,
      false,
      false,
    ])
  })

  it('is a regression when it is still there', () => {
    expect(linesOf(confirm(counted, counted))).toEqual(['value body.trackCount regression unknown'])
  })

  it('is transient when it is gone', () => {
    expect(confirm(counted, equal)).toMatchObject({ class: 'transient' })
    expect(linesOf(confirm(counted, renamed))).toEqual([
      'value body.trackCount transient unknown',
      'value body.name transient unknown',
    ])
  })

  it('stays critical however often it is gone', () => {
    expect(confirm(leaking, equal)).toMatchObject({ class: 'critical' })
    expect(confirm(counted, leaking)).toMatchObject({ class: 'critical' })
  })

  it('stands where asking again failed', () => {
    expect(confirm(counted, silent)).toBe(counted)
  })
})

describe('a side that does not answer', () => {
  it.each([
    [{ failure: 'timeout' }, found(), 'native'],
    [found(), { failure: 'unreachable' }, 'core'],
    [{ failure: 'truncated' }, { failure: 'too_large' }, 'both'],
  ] as const)('fails the comparison (%#)', (native, core, blame) => {
    const verdict = against(native, core)
    expect(verdict).toMatchObject({ class: 'failed', differences: [{ class: 'failed', blame }] })
    expect([verdict.native, verdict.core]).toEqual([
      'status' in native ? 200 : null,
      'status' in core ? 200 : null,
    ])
  })
})
