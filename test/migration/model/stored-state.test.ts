import { expect, it } from 'vitest'
import { parseAccountOverride, parseRouteState, readScope } from '#migration/model/stored-state.ts'

const row = {
  scope: 'libraries.list',
  stage: 'canary',
  weightBp: 100,
  killed: false,
  held: false,
  mode: 'observe',
  evidenceKey: null,
  failedEvidenceKey: null,
  drillUntil: null,
  version: 3,
}
const override = { accountId: 'acct_1', scope: '*', side: 'core', until: null, reason: 'r', who: 'alice' }

it('parseRouteState and parseAccountOverride parse the rows that routing changes store', () => {
  expect(parseRouteState(row)).toEqual(row)
  const end = '2026-01-02T03:04:05.000Z'
  // The previous release does not clear a drill's end when it moves the route on.
  expect(parseRouteState({ ...row, drillUntil: end })?.drillUntil).toBeNull()
  expect(parseRouteState({ ...row, stage: 'retired', weightBp: 10_000, drillUntil: end })?.drillUntil).toBe(
    end,
  )
  expect(parseRouteState({ ...row, scope: '*', stage: null, weightBp: 0 })?.stage).toBeNull()
  expect(parseAccountOverride({ ...override, until: '2026-01-02T03:04:05.000Z' })).toEqual({
    accountId: 'acct_1',
    scope: '*',
    side: 'core',
    until: new Date('2026-01-02T03:04:05.000Z'),
  })
})

it.each([
  ['an unknown scope', { scope: 'libraries.lst' }],
  ['an unknown stage', { stage: 'half' }],
  ['a canary for everyone', { weightBp: 10_000 }],
  ['a weight for a stage that has none', { stage: 'proxy' }],
  ['a fraction of a basis point', { weightBp: 0.5 }],
  ['a missing version', { version: undefined }],
])('parseRouteState rejects a state with %s', (_, change) => {
  expect(parseRouteState({ ...row, ...change })).toBeNull()
})

it.each([{ side: 'both' }, { accountId: '' }, { scope: 'x' }, { until: 'tomorrow' }])(
  'parseAccountOverride rejects an override with %o',
  (change) => {
    expect(parseAccountOverride({ ...override, ...change })).toBeNull()
  },
)

it('readScope reads the scope even of a row that is rejected', () => {
  expect(readScope({ ...row, stage: 'half' })).toBe('libraries.list')
  expect(readScope({ scope: 'libraries.lst' })).toBeNull()
  expect(readScope(null)).toBeNull()
})
