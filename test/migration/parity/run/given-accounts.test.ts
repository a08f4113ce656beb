import { describe, expect, it } from 'vitest'
import { listTwoSidedRoutes } from '#dev/contract/comparison.ts'
import { createTokenAccountSource } from '#migration/parity/run/accounts.ts'
import { compareDeployments } from '#migration/parity/run/compare-deployments.ts'
import { judgePair } from '#migration/parity/run/judge-pairs.ts'
import type { Pair } from '#migration/parity/run/pairs.ts'
import { detectSharedState } from '#migration/parity/run/probe.ts'
import type { AccountSource } from '#migration/parity/run/scenario-context.ts'
import { createSession } from '#migration/parity/run/session.ts'
import { scenarios } from '#test/scenarios/index.ts'
import { recordedResponse, rules } from '../../responses.ts'
import { startBothSides } from './two-sides.ts'

const created = recordedResponse(201, {
  id: 'l1',
  name: 'Demos',
  description: null,
  createdAt: '2026-11-20T10:00:00.000Z',
  updatedAt: '2026-11-20T10:00:00.000Z',
})

const pairOf = (native: Pair['native'], core: Pair['core'], fields: Partial<Pair> = {}): Pair => ({
  label: 'libraries.create',
  scenario: 'creates one',
  request: {},
  native,
  core,
  expected: 201,
  usesGivenAccounts: true,
  ...fields,
})

const judge = (pair: Pair) => judgePair(pair, undefined, rules, new Map())

describe('a pair of responses to a given account', () => {
  it.each([
    ['a name conflict', 409, 'library_name_conflict', 'already has a library with this name'],
    ['a quota', 409, 'quota_exceeded', 'has reached a quota'],
    [
      'a plan limit',
      403,
      'entitlement_required',
      'lacks the entitlement or has reached the limit of its plan',
    ],
  ])('is not comparable if one side returns %s', (_, status, error, text) => {
    const refused = recordedResponse(status, { error })
    for (const [side, pair] of [
      ['native', pairOf(refused, created)],
      ['core', pairOf(created, refused)],
    ] as const)
      expect(judge(pair)).toMatchObject({
        class: 'not_comparable',
        differences: [{ reason: `the account ${text} on the ${side} side only` }],
      })
  })

  it('is a regression if native returns an error unrelated to limits, or a limit error to a new account', () => {
    const conflict = recordedResponse(409, { error: 'library_name_conflict' })
    const { usesGivenAccounts: _, ...ofNewAccount } = pairOf(conflict, created)
    expect(judge(ofNewAccount).class).toBe('regression')
    expect(judge(pairOf(recordedResponse(409, { error: 'slug_conflict' }), created)).class).toBe('regression')
  })

  it('is a regression if the scenario expects the limit and native ignores it', () => {
    const conflict = recordedResponse(409, { error: 'library_name_conflict' })
    expect(judge(pairOf(created, conflict, { expected: 409 })).class).toBe('regression')
  })
})

describe('a 429 that only the core returned', () => {
  const limited = recordedResponse(429, { error: 'rate_limited' })

  it('is a regression if the scenario expects it', () => {
    const verdict = judge(pairOf(created, limited, { expected: 429 }))
    expect(verdict).toMatchObject({ class: 'regression', differences: [{ path: 'status', blame: 'native' }] })
  })

  it('is not comparable in any other scenario', () => {
    expect(judge(pairOf(created, limited)).class).toBe('not_comparable')
  })
})

const sides = startBothSides()

const probe = (accounts: AccountSource) => {
  const session = createSession({ permissions: { billing: false, irreversible: false }, removes: true })
  const native = { name: 'native', origin: sides.native } as const
  const core = { name: 'core', origin: sides.core } as const
  return detectSharedState({ native, core, accounts, session })
}

describe('the probe for a shared database', () => {
  it.each([true, false])('works whether or not the e-mail is verified (%s)', async (emailVerified) => {
    const account = await sides.gateway.signUp({ emailVerified })
    const found = await probe(createTokenAccountSource([account.token]))
    expect(found).toEqual({ hasSharedState: true, warnings: [] })
  })

  it('warns, and lets the run continue, if the account cannot create libraries', async () => {
    const account = await sides.gateway.signUp()
    const token = `${account.token}invalid`
    const found = await probe(createTokenAccountSource([token]))
    expect(found).toEqual({
      hasSharedState: false,
      warnings: [expect.stringMatching(/is not known.*: libraries\.create returned 401/)],
    })
  })
})

describe('compareDeployments with given accounts and two databases', () => {
  it('compares errors and writes, and says for each read why it cannot be compared', async () => {
    const account = await sides.gateway.signUp()
    const { run, summary } = await compareDeployments({
      deployments: {
        native: { name: 'native', origin: sides.native },
        core: { name: 'core', origin: sides.core },
        accounts: createTokenAccountSource([account.token]),
        session: createSession({ permissions: { billing: false, irreversible: false }, removes: true }),
        hasSharedState: false,
      },
      scenarios: scenarios.filter(
        ({ label, title }) =>
          label === 'libraries.list' && /without a token|returns an empty list/.test(title),
      ),
      routes: listTwoSidedRoutes('libraries.list'),
      createProgress: () => () => {},
    })
    // The core's errors have no message.
    expect(summary.counts).toMatchObject({ accepted: 1, not_comparable: 1 })
    const reasons = run.comparisons.flatMap(({ differences }) => differences.map(({ reason }) => reason))
    expect(reasons).toContainEqual(expect.stringContaining('only if both sides share a database'))
  })
})
