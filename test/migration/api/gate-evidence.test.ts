import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ComparedDay, saveEvidenceCounts } from '#db/queries/evidence/evidence-counts.ts'
import { addMismatches } from '#db/queries/evidence/mismatches.ts'
import { addNewComparisons } from '#migration/control/gate/evidence-sets.ts'
import { hashAccount } from '#migration/model/gate/account-sample.ts'
import { noComparisonSums } from '#migration/model/gate/comparison-sums.ts'
import { defaultGateLimits } from '#migration/model/gate/gate-input.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'

const label = 'tracks.list'
const subject = hashAccount('secret', 'acct_1')
const difference = {
  label,
  signature: '0123456789abcdef',
  kind: 'value',
  path: 'body.tracks.*.title',
  class: 'regression',
  blame: 'native',
  exampleNative: 'string #0123456789',
  exampleCore: null,
  requestIds: ['r2', 'r1'],
}

describe("a route's gate", () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })
  afterEach(() => gateway.database.sql`truncate evidence_counts, evidence_set, mismatch, route_usage`)

  const read = (path: string) =>
    gateway.requestAdmin('GET', `/api/routes/${path}`, { token: operatorTokens.rob })
  const change = (requested: object, scope = label) =>
    gateway.requestAdmin('POST', `/api/routes/${scope}/changes`, {
      token: operatorTokens.alice,
      body: { change: requested, reason: 'a test' },
    })
  const compare = async (changes: Partial<ComparedDay>) => {
    const { db, sql } = gateway.database
    const { evidenceKey } = (await read(`${label}/evidence`)).body
    const day = new Date().toISOString().slice(0, 10)
    const accounts = [subject]
    await saveEvidenceCounts(db, [
      { ...noComparisonSums, label, evidenceKey, instanceId: 'a', day, accounts, ...changes },
    ])
    // `addNewComparisons` does nothing while the gateway is evaluating its gates.
    await vi.waitFor(async () => {
      await db.transaction((tx) => addNewComparisons(tx, defaultGateLimits.test))
      expect(await sql`select from evidence_counts where comparisons > added_comparisons`).toHaveLength(0)
    })
    return evidenceKey as string
  }

  beforeAll(async () => {
    await change({ kind: 'shadow' })
    await change({ kind: 'mode', mode: 'auto' })
  })

  it('is shown with each check, the progress of the test, the totals and the masked differences', async () => {
    const evidenceKey = await compare({ comparisons: 332, transients: 2, repeated: 5, copies: 400, drops: 3 })
    await addMismatches(gateway.database.db, [{ ...difference, evidenceKey, count: 3 }])
    const { body } = await read(`${label}/evidence`)
    expect(body.gate.next).toMatchObject({ action: 'blocked', blockedBy: 'contract', expectedMs: null })
    expect(body.gate.checks).toContainEqual({
      id: 'transients',
      isMet: true,
      sentence:
        '2 of 332 comparisons found a difference only where the core disagreed with itself: 0.6 %; at most 5 % is allowed.',
      finding: null,
      expectedMs: 0,
    })
    expect(body.comparisons).toMatchObject({
      comparisons: 332,
      repeated: 5,
      drops: 3,
      accounts: 1,
      alarm: null,
    })
    expect(body.comparisons.test).toMatchObject({ progress: expect.closeTo(0.5, 2), missing: 332 })
    expect(body.mismatches).toMatchObject([
      { signature: '0123456789abcdef', count: 3, requestIds: ['r2', 'r1'] },
    ])
    expect(body.sentences).toEqual(
      expect.arrayContaining([
        'Mode: auto.',
        expect.stringMatching(
          /^Next step: 1 %, blocked by contract \(and \d other checks\)\. No contract run/,
        ),
        'mismatches (met): No difference has raised an alarm.',
        expect.stringMatching(
          /^comparisons \(not met\): 332 of 664 comparisons without a regression; at 332 per minute, the rest takes 1 min/,
        ),
        expect.stringMatching(
          /^This code has 332 independent comparisons from .*: 0 with a regression, .* at 50\.\d+ % of the passing score/,
        ),
        'Difference 0123456789abcdef: regression, value at body.tracks.*.title, blame native, found 3 times. Native had string #0123456789, the core nothing; requests r2, r1.',
      ]),
    )
    expect(JSON.stringify(body)).not.toContain(subject)
  })

  it('is named by explain, with the first check that blocks the step', async () => {
    const { body } = await read(label)
    expect(body.gate).toMatchObject({ action: 'blocked', blockedBy: 'contract' })
    expect(body.sentences.slice(-2)).toEqual([
      'Mode: auto.',
      expect.stringMatching(/^Next step: 1 %, blocked by contract \(and 1 other check\)\. /),
    ])
    const { body: list } = await gateway.requestAdmin('GET', '/api/routes', { token: operatorTokens.rob })
    expect(list.routes.find((route: { label: string }) => route.label === label).state.mode).toBe('auto')
  })

  it('is preceded by the share of regressions and the most frequent difference, also in explain', async () => {
    const found = { comparisons: 50, regressions: 1, copies: 50 }
    const evidenceKey = await compare(found)
    await addMismatches(gateway.database.db, [
      { ...difference, evidenceKey, count: 3 },
      { ...difference, evidenceKey, signature: 'fedcba9876543210', path: 'status', count: 2 },
      // Not counted: a difference found in other code, and one that was not native's fault.
      { ...difference, evidenceKey: 'other', path: 'body.other', count: 9 },
      { ...difference, evidenceKey, signature: '2222222222222222', class: 'transient', count: 9 },
    ])
    const sentence =
      'Native differs from the core: 50 comparisons with 1 regression (2 %, most often value at body.tracks.*.title).'
    const [evidence, explained] = [await read(`${label}/evidence`), await read(label)]
    expect([evidence.body.sentences[0], explained.body.sentences[0]]).toEqual([sentence, sentence])
    expect(evidence.body.gate.checks[0]).toMatchObject({ id: 'comparisons', finding: 'mismatch' })
    for (const { gate } of [evidence.body, { gate: { next: explained.body.gate } }])
      expect(gate.next).toMatchObject({
        blockedBy: 'comparisons',
        sentence: expect.stringContaining('most often value at body.tracks.*.title'),
      })
  })

  it('lets a person take the step anyway, and names the checks that were not met', async () => {
    await compare({ comparisons: 10, copies: 10 })
    const { status, body } = await change({ kind: 'ramp', weightBp: 100 })
    expect(status).toBe(200)
    expect(body.state).toMatchObject({ weightBp: 100 })
    expect(body.warnings).toEqual(['Checks not met: contract, comparisons, statuses, accounts.'])
    const skipped = await change({ kind: 'ramp', weightBp: 5000 })
    expect(skipped.body.warnings).toEqual(['Checks not met: contract, step-time, native-requests.'])
    expect((await change({ kind: 'ramp', weightBp: 0 })).body.warnings).toEqual([])
  })

  it("is served from memory if Cache-Control permits its age, until a route's state changes", async () => {
    const refresh = async (
      path: string,
      headers: Record<string, string> = { 'cache-control': 'max-age=15' },
    ) =>
      (await gateway.requestAdmin('GET', `/api/routes/${path}`, { token: operatorTokens.rob, headers })).body
    const countOf = (body: { comparisons: { comparisons: number } | null }) =>
      body.comparisons?.comparisons ?? 0
    await refresh(`${label}/evidence`)
    await compare({ comparisons: 10, copies: 10 })
    expect(countOf(await refresh(`${label}/evidence`))).toBe(0)
    expect(countOf(await refresh(`${label}/evidence`, { 'cache-control': 'max-age=5' }))).toBe(10)
    expect(countOf(await refresh(`${label}/evidence`, {}))).toBe(10)
    expect((await change({ kind: 'mode', mode: 'observe' })).status).toBe(200)
    await vi.waitFor(async () => expect(countOf(await refresh(`${label}/evidence`))).toBe(10))
  })

  it('is not shown without an operator token', async () => {
    for (const path of [`${label}/evidence`, label]) {
      const { status, body } = await gateway.requestAdmin('GET', `/api/routes/${path}`)
      expect([status, body.error]).toEqual([401, 'operator_token_required'])
    }
  })
})
