import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ParityReport } from '#migration/parity/report/summary.ts'
import { runParity as runParityCommand, withTokens } from './run-parity.ts'
import { startBothSides, startTampering, type Tampering } from './two-sides.ts'

const sides = startBothSides()

let out = ''
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'crossfade-parity-'))
})
afterAll(() => rm(out, { recursive: true, force: true }))

const runParity = (native: string, core: string, ...flags: string[]) =>
  runParityCommand({ flags: ['--native', native, '--core', core, '--out', out, '--yes', ...flags] })

const withSandboxKey = (area = 'libraries.remove') => [
  '--area',
  area,
  '--state-dir',
  sides.gateway.stateDir,
  '--billing',
  '--irreversible',
]

const readReport = async (): Promise<ParityReport> =>
  JSON.parse(await readFile(join(out, 'parity.json'), 'utf8'))

const respondWith200: Tampering = {
  response: (response, { label }) =>
    label === 'libraries.remove' && response.status === 204
      ? { ...response, status: 200, text: '{"name":"Night Drives"}' }
      : response,
}

const findClosedPort = async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

// Each test starts a process that compares whole areas.
describe('npm run parity', { timeout: 60_000 }, () => {
  it('reports no difference between a deployment and itself', async () => {
    const { exitCode, stdout, stderr } = await runParity(sides.native, sides.native, ...withSandboxKey())
    expect(exitCode).toBe(0)
    // Progress appears only for work that takes longer than a moment.
    expect(stderr).toMatch(/^(?: {2}✓ Scenarios +[\d.]+ s\n)?$/)
    expect(stdout).toContain('pass: native and core agree')
    const { summary } = await readReport()
    expect(summary.signatures).toEqual([])
    expect(summary.comparisons).toBe(summary.counts.equal)
    expect((await readdir(out)).sort()).toEqual([
      'parity.html',
      'parity.json',
      'parity.junit.xml',
      'remaining.json',
    ])
  })

  it('exits with 0 if native and the core agree', async () => {
    const { exitCode } = await runParity(sides.native, sides.core, ...withSandboxKey())
    expect(exitCode).toBe(0)
  })

  it('accepts read-backs from a core that sends no cache-control', async () => {
    const response = await fetch(`${sides.plainCore}/v1/libraries`)
    expect(response.headers.get('cache-control')).toBeNull()
    const { exitCode, stdout } = await runParity(
      sides.native,
      sides.plainCore,
      ...withSandboxKey('tracks.lyrics.replace'),
    )
    expect(stdout).toContain('pass: native and core agree')
    expect(exitCode).toBe(0)
  })

  it("exits with 1 and names a regression's route and path", async () => {
    const { origin, close } = await startTampering(sides.native, respondWith200)
    const { exitCode, stdout } = await runParity(origin, sides.core, ...withSandboxKey())
    await close()
    expect(exitCode).toBe(1)
    expect(stdout).toContain('regression  libraries.remove  status at status, blame native')
    expect(stdout).not.toContain('Night')
  })

  it('exits with 2 if one side is unreachable', async () => {
    const closed = await findClosedPort()
    const { exitCode, stderr } = await runParity(sides.native, closed, ...withSandboxKey())
    expect(exitCode).toBe(2)
    expect(stderr).toBe(`parity: the core side is not reachable at ${closed}\n`)
  })

  it('exits with 2 if it has neither a token nor a key to sign one with', async () => {
    const { exitCode, stderr } = await runParity(sides.native, sides.core, '--state-dir', out)
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining(
        'parity: PARITY_TOKEN_A is not set and no token can be signed: npm start is not running in this folder',
      ),
    ])
  })

  it.each([
    ['a second account', 0, 'the scenario needs 2 accounts: set PARITY_TOKEN_B'],
    [
      'a plan that the account does not have',
      1,
      "the scenario needs plan pro, but the given token's account is on free",
    ],
  ])('reports a scenario that needs %s as not comparable', async (_, others, reason) => {
    const { gateway } = sides
    const accounts = [await gateway.signUp({ plan: 'free' })]
    for (let count = 0; count < others; count++) accounts.push(await gateway.signUp())
    const { exitCode, stdout } = await runParityCommand({
      flags: ['--native', sides.native, '--core', sides.core, '--out', out, '--yes'].concat(
        '--area',
        'libraries.shares.list',
      ),
      environment: withTokens(...accounts),
    })
    expect(exitCode).toBe(2)
    expect(stdout).toContain(reason)
    const { summary } = await readReport()
    expect(summary.counts.not_comparable).toBeGreaterThan(0)
    expect(summary.counts).toMatchObject({ regression: 0, critical: 0, failed: 0 })
  })
})
