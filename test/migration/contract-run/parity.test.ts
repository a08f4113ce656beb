import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readParityFlags } from '#gateway/start/comparison-flags.ts'
import { createTokenAccountSource } from '#migration/contract-run/accounts.ts'
import { parseParityJson } from '#migration/report/parity-json.ts'
import { startBothSides, startTampering, type Tampering } from './two-sides.ts'

const root = join(import.meta.dirname, '../../..')
const sides = startBothSides()

let out = ''
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'crossfade-parity-'))
})
afterAll(() => rm(out, { recursive: true, force: true }))

interface ProcessResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

const runParity = (native: string, core: string, ...flags: string[]) =>
  new Promise<ProcessResult>((resolve) => {
    const args = ['gateway/start/parity.ts', '--native', native, '--core', core, '--out', out, ...flags]
    const child = execFile(process.execPath, args, { cwd: root }, (_, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? -1, stdout, stderr }),
    )
  })

const withSandboxKey = (area = 'libraries.remove') => ['--area', area, '--state-dir', sides.gateway.stateDir]

const readReport = async () => parseParityJson(await readFile(join(out, 'parity.json'), 'utf8'))

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

describe('npm run parity', () => {
  it('reports no difference between a deployment and itself', async () => {
    const { exitCode, stdout, stderr } = await runParity(sides.native, sides.native, ...withSandboxKey())
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toContain('pass: native and core agree')
    const { summary } = await readReport()
    expect(summary.signatures).toEqual([])
    expect(summary.comparisons).toBe(summary.counts.equal)
    expect((await readdir(out)).sort()).toEqual(['parity.html', 'parity.json', 'parity.junit.xml'])
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

  it('exits with 1 and names the route and path of a regression', async () => {
    const { origin, close } = await startTampering(sides.native, respondWith200)
    const { exitCode, stdout } = await runParity(origin, sides.core, ...withSandboxKey())
    await close()
    expect(exitCode).toBe(1)
    expect(stdout).toContain('regression  libraries.remove  status at status, blame native')
    expect(stdout).not.toContain('Night')
  })

  it('exits with 2 if a side is not reachable', async () => {
    const closed = await findClosedPort()
    const { exitCode, stderr } = await runParity(sides.native, closed, ...withSandboxKey())
    expect(exitCode).toBe(2)
    expect(stderr).toBe(`parity: the core side is not reachable at ${closed}\n`)
  })

  it('exits with 2 without a token or a key to sign one', async () => {
    const { exitCode, stderr } = await runParity(sides.native, sides.core, '--state-dir', out)
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('parity: --token is missing and no token can be signed: no signing key at'),
    ])
  })

  it.each([
    ['a second account', [], 'the scenario needs 2 accounts: add --other-token'],
    [
      'a plan that the account does not have',
      ['other'],
      'the scenario needs plan pro, but the account of the given token has plan free',
    ],
  ])('reports a scenario that needs %s as not comparable', async (_, others, reason) => {
    const { token } = await sides.gateway.signUp({ plan: 'free' })
    const otherFlags = await Promise.all(
      others.map(async () => ['--other-token', (await sides.gateway.signUp()).token]),
    )
    const flags = ['--area', 'libraries.shares.list', '--token', token, ...otherFlags.flat()]
    const { exitCode, stdout } = await runParity(sides.native, sides.core, ...flags)
    expect(exitCode).toBe(2)
    expect(stdout).toContain(reason)
    const { summary } = await readReport()
    expect(summary.counts.not_comparable).toBeGreaterThan(0)
    expect(summary.counts).toMatchObject({ regression: 0, critical: 0, failed: 0 })
  })
})

describe('readParityFlags', () => {
  const both = ['--native', 'http://native.test/v1', '--core', 'https://core.test']

  it('reduces both URLs to their origins', () => {
    expect(readParityFlags(both)).toMatchObject({
      native: 'http://native.test',
      core: 'https://core.test',
      tokens: [],
    })
  })

  it('returns the tokens in order', () => {
    const flags = ['--token', 'first', '--other-token', 'second', '--other-token', 'third']
    expect(readParityFlags([...both, ...flags]).tokens).toEqual(['first', 'second', 'third'])
  })

  it.each([
    ['a missing side', ['--native', 'http://native.test'], '--core is required'],
    ['an invalid URL', ['--native', 'not-a-url'], '--native must be an http or https URL'],
    ['another scheme', ['--native', 'ftp://native.test'], '--native must be an http or https URL'],
    ['an unknown flag', [...both, '--speed', '9'], "Unknown option '--speed'"],
  ])('rejects %s', (_, flags, reason) => {
    expect(() => readParityFlags(flags)).toThrow(reason)
  })

  it('rejects a malformed token without printing it', () => {
    expect(() => createTokenAccountSource(['secret'])).toThrow(
      'a token of --token or --other-token is not a JSON Web Token with a `sub` claim',
    )
  })
})
