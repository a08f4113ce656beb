import { describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { listTwoSidedRoutes } from '#dev/contract/comparison.ts'
import { acceptedDifferences } from '#migration/parity/accepted-differences.ts'
import { runExitCodes, summarise } from '#migration/parity/report/summary.ts'
import { createFreshAccountSource } from '#migration/parity/run/accounts.ts'
import { compareDeployments, describeSuccessGaps } from '#migration/parity/run/compare-deployments.ts'
import { createSandboxSession } from '#migration/parity/run/session.ts'
import { scenarios } from '#test/scenarios/index.ts'
import { createRun, detail } from '../report/run.ts'
import { startBothSides } from './two-sides.ts'

const sides = startBothSides()

const evidenceKey = '0'.repeat(32)

const compare = (
  titles: RegExp,
  today: string,
  expectedSuccesses: readonly Label[] = [],
  notCompared: ReadonlyMap<Label, string> = new Map(),
) =>
  compareDeployments({
    deployments: {
      native: { name: 'native', origin: sides.native },
      core: { name: 'core', origin: sides.core },
      accounts: createFreshAccountSource(sides.gateway.issuer.mintToken),
      session: createSandboxSession(),
      hasSharedState: true,
    },
    scenarios: scenarios.filter(({ label, title }) => label === 'libraries.remove' && titles.test(title)),
    routes: listTwoSidedRoutes('libraries.remove'),
    expectedSuccesses,
    notCompared,
    evidenceKeys: new Map([['libraries.remove', evidenceKey]] as const),
    now: () => new Date(`${today}T12:00:00.000Z`),
    createProgress: () => () => {},
  })

describe('the warnings of a contract run', () => {
  it('name the accepted differences that expire within 14 days', async () => {
    const { run } = await compare(/without a token/, '2027-02-01')
    expect(run.warnings).toHaveLength(acceptedDifferences.length)
    expect(run.warnings[0]).toContain(
      'for all routes (value at body.error) expires on 2027-02-15, in 14 days',
    )
    const early = await compare(/without a token/, '2027-01-31')
    expect(early.run.warnings).toEqual([])
  })

  it('name each route that succeeds in no scenario, in one sentence per route', async () => {
    const labels = ['libraries.remove', 'libraries.create', 'packs.update', 'webhooks.billing'] as const
    const { run, summary } = await compare(/without a token/, '2026-12-01', labels)
    expect(run.warnings).toEqual([
      'libraries.remove: no scenario sees it succeed on both sides (add a scenario for it)',
      'libraries.create: no scenario sees it succeed (not compared: it has no handler or is not part of this run)',
      'packs.update: no scenario sees it succeed (not compared: it has no handler or is not part of this run)',
      'webhooks.billing: no scenario sees it succeed (only native serves it, so its own tests must show that it succeeds)',
    ])
    expect(runExitCodes[summary.outcome]).toBe(3)
  })

  it('name a route that the run cannot compare, which makes the run inconclusive', async () => {
    const notCompared = new Map([['libraries.remove', 'ffmpeg was not found']] as const)
    const { run, summary } = await compare(
      /keeps its tracks/,
      '2026-12-01',
      ['libraries.remove'],
      notCompared,
    )
    expect(run.warnings).toEqual(['libraries.remove: not compared (ffmpeg was not found)'])
    expect(summary.rows).toMatchObject([
      { label: 'libraries.remove', comparisons: 0, class: null, problems: 1 },
    ])
    // So `--post` does not replace the result of an earlier run that could compare it.
    expect(run.rows).toMatchObject([{ evidenceKey: null }])
    expect([summary.counts.not_comparable, runExitCodes[summary.outcome]]).toEqual([0, 3])
  })

  it("omit a route that succeeds, even if only during another scenario's preparation", async () => {
    const labels = ['libraries.remove', 'tracks.create'] as const
    const { run, summary } = await compare(/keeps its tracks/, '2026-12-01', labels)
    expect(run.warnings).toEqual([])
    expect(run.rows).toMatchObject([{ evidenceKey }])
    expect(summary.outcome).toBe('pass')
  })
})

describe('describeSuccessGaps', () => {
  it('names a route that never succeeded', () => {
    const summary = summarise(createRun(['libraries.detail'], [detail.absent]))
    expect(describeSuccessGaps(['libraries.detail'], summary.rows, new Set())).toEqual([
      'libraries.detail: no scenario sees it succeed on both sides (add a scenario for it)',
    ])
  })
})
