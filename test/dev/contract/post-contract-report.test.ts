import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { upsertInstance } from '#db/queries/routing/gateway-instances.ts'
import { preparePost } from '#dev/contract/post-contract-report.ts'
import { nativeUnavailableReason } from '#migration/diff/confirm.ts'
import { readOwnBuild } from '#migration/evidence-keys/own-build.ts'
import type { ParityRun } from '#migration/parity/report/parity-run.ts'
import { createReport } from '#migration/parity/report/summary.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { operatorTokens, testOperators } from '#test/support/operators.ts'
import { created, createRun, detail, emptyReviewLinks } from '../../migration/parity/report/run.ts'

const root = join(import.meta.dirname, '../../..')

const runContract = (environment: Readonly<Record<string, string>>) =>
  new Promise<{ exitCode: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      ['dev/contract/contract.ts', '--post'],
      { cwd: root, env: { PATH: process.env.PATH ?? '', ...environment } },
      (_, stdout, stderr) => resolve({ exitCode: child.exitCode ?? -1, stdout, stderr }),
    )
  })

const { keys } = readOwnBuild()
const keyOf = (label: Label) => keys.get(label) ?? ''

const withKeys = (run: ParityRun, evidenceKeys: ReadonlyMap<string, string>) =>
  createReport({
    ...run,
    rows: run.rows.map((row) => ({ ...row, evidenceKey: evidenceKeys.get(row.label) ?? null })),
  })

describe('npm run contract -- --post', () => {
  const gateway = startTestGateway({ core: 'recording', environment: { OPERATORS: testOperators } })
  const environment = (token: string) => ({ ADMIN_URL: gateway.adminUrl, OPERATOR_TOKEN: token })
  const run = createRun(
    ['libraries.create', 'libraries.detail', 'tracks.split-sheet.share-links.list'],
    [created, detail.same, detail.counted, detail.leaking, detail.silent],
  )

  it('exits with 5, before it compares anything, if it would be unable to post the results, and says why', async () => {
    const failures = [
      [{ ADMIN_URL: gateway.adminUrl }, 'OPERATOR_TOKEN is missing: set it to your token for http'],
      [environment('unknown-token'), 'Send "Authorization: Bearer" with the token of an operator'],
      [environment(operatorTokens.rob), 'rob has the role read; this needs contract or write.'],
      [
        { ADMIN_URL: 'http://127.0.0.1:1', OPERATOR_TOKEN: 'token' },
        'cannot reach the gateway at http://127.0.0.1:1',
      ],
      [{ ADMIN_URL: 'no url', OPERATOR_TOKEN: 'token' }, 'ADMIN_URL or ADMIN_PORT is invalid'],
    ] as const
    for (const [variables, message] of failures) {
      const { exitCode, stdout, stderr } = await runContract(variables)
      expect([exitCode, stdout, stderr]).toEqual([5, '', expect.stringContaining(`contract: ${message}`)])
      expect(stderr).not.toContain('token-of-')
    }
  }, 60_000)

  it('posts every route, compared or not, with its key, its problems and the differences that forbid promotion', async () => {
    const post = await preparePost(environment(operatorTokens.ci))
    expect(await post(withKeys(run, keys))).toEqual([`posted the results of 3 routes to ${gateway.adminUrl}`])
    const rows = await gateway.database
      .sql`select label, evidence_key, problems, forbidding_differences, who from contract_result order by label`
    expect([...rows]).toEqual([
      {
        label: 'libraries.create',
        evidence_key: keyOf('libraries.create'),
        problems: 0,
        forbidding_differences: 0,
        who: 'ci',
      },
      {
        label: 'libraries.detail',
        evidence_key: keyOf('libraries.detail'),
        problems: 3,
        forbidding_differences: 0,
        who: 'ci',
      },
      {
        label: 'tracks.split-sheet.share-links.list',
        evidence_key: keyOf('tracks.split-sheet.share-links.list'),
        problems: 1,
        forbidding_differences: 0,
        who: 'ci',
      },
    ])
    const later = withKeys({ ...run, finishedAt: '2026-11-19T00:00:00.000Z' }, keys)
    expect((await post(later)).at(-1)).toBe(
      '3 routes skipped, because results from a later run are already stored: libraries.create, libraries.detail, tracks.split-sheet.share-links.list',
    )
  })

  it('posts the earliest expiry of the accepted differences that a route relied on', async () => {
    const accepted = {
      differences: emptyReviewLinks.differences.map((found) => ({ ...found, expires: '2027-01-31' })),
    }
    const later = { ...emptyReviewLinks, scenario: 'has links again', ...accepted }
    const post = await preparePost(environment(operatorTokens.ci))
    const finishedAt = '2026-11-21T00:00:00.000Z'
    const labels = ['libraries.create', 'tracks.split-sheet.share-links.list'] as const
    const accepting = { ...createRun([...labels], [created, emptyReviewLinks, later]), finishedAt }
    await post(withKeys(accepting, keys))
    const rows = await gateway.database.sql`
      select label, to_char(valid_until at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as until
      from contract_result where label in ${gateway.database.sql(labels)} order by label`
    expect([...rows]).toEqual([
      { label: 'libraries.create', until: null },
      { label: 'tracks.split-sheet.share-links.list', until: '2027-02-01 00:00' },
    ])
    await gateway.database.sql`truncate contract_result`
  })

  it('names the routes for which running instances have different code', async () => {
    const { db, sql } = gateway.database
    await upsertInstance(db, { id: 'old', build: 'b', keys: { 'libraries.create': 'other' }, epoch: 0 })
    const post = await preparePost(environment(operatorTokens.alice))
    expect((await post(withKeys(run, keys))).at(-1)).toBe(
      'running instances serve 1 of them with different code, and these results do not count for that code: libraries.create (1 of 2 instances)',
    )
    await sql`delete from gateway_instance where id = 'old'`
  })

  it('posts nothing if native was unavailable during the run', async () => {
    await gateway.database.sql`truncate contract_result`
    const post = await preparePost(environment(operatorTokens.ci))
    const differences = emptyReviewLinks.differences.map((found) => ({
      ...found,
      class: 'not_comparable' as const,
      reason: nativeUnavailableReason,
    }))
    const busy = { ...emptyReviewLinks, class: 'not_comparable' as const, differences }
    const labels = ['libraries.create', 'tracks.split-sheet.share-links.list'] as const
    await expect(post(withKeys(createRun([...labels], [created, busy]), keys))).rejects.toThrow(
      'so nothing was posted: run it again on a less busy machine (tracks.split-sheet.share-links.list)',
    )
    expect(await gateway.database.sql`select from contract_result`).toHaveLength(0)
  })

  it('posts nothing if the sources changed during the run', async () => {
    await gateway.database.sql`truncate contract_result`
    const post = await preparePost(environment(operatorTokens.ci))
    const changed = new Map([...keys, ['libraries.create', '0'.repeat(32)]])
    await expect(post(withKeys(run, changed))).rejects.toThrow(
      'the sources of libraries.create changed during the run, so nothing was posted: run it again',
    )
    expect(await gateway.database.sql`select from contract_result`).toHaveLength(0)
  })
})
