import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readParityFlags } from '#gateway/start/comparison-flags.ts'
import { givenAccounts } from '#migration/contract-run/accounts.ts'
import { readParityJson } from '#migration/report/parity-json.ts'
import { startTampering, startTwoSides, type Tampering } from './two-sides.ts'

const root = join(import.meta.dirname, '../../..')
const sides = startTwoSides()

let out = ''
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'crossfade-parity-'))
})
afterAll(() => rm(out, { recursive: true, force: true }))

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const parity = (native: string, core: string, ...flags: string[]) =>
  new Promise<Ended>((resolve) => {
    const args = ['gateway/start/parity.ts', '--native', native, '--core', core, '--out', out, ...flags]
    const child = execFile(process.execPath, args, { cwd: root }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })

const bySandboxKey = (area = 'libraries.remove') => ['--area', area, '--state-dir', sides.gateway.stateDir]

const reportOf = async () => readParityJson(await readFile(join(out, 'parity.json'), 'utf8'))

const withBody: Tampering = {
  answer: (answer, { label }) =>
    label === 'libraries.remove' && answer.status === 204
      ? { ...answer, status: 200, text: '{"name":"Night Drives"}' }
      : answer,
}

const closedPort = async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

describe('npm run parity', () => {
  it('passes where both sides are the same, without a single difference', async () => {
    const { code, stdout, stderr } = await parity(sides.native, sides.native, ...bySandboxKey())
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('pass: native and core agree')
    const { summary } = await reportOf()
    expect(summary.signatures).toEqual([])
    expect(summary.comparisons).toBe(summary.counts.equal)
    expect((await readdir(out)).sort()).toEqual(['parity.html', 'parity.json', 'parity.junit.xml'])
  })

  it('passes where native and the core agree', async () => {
    const { code } = await parity(sides.native, sides.core, ...bySandboxKey())
    expect(code).toBe(0)
  })

  it('passes against a core that forbids nobody to store what native wrote', async () => {
    const answer = await fetch(`${sides.plainCore}/v1/libraries`)
    expect(answer.headers.get('cache-control')).toBeNull()
    const { code, stdout } = await parity(
      sides.native,
      sides.plainCore,
      ...bySandboxKey('tracks.lyrics.replace'),
    )
    expect(stdout).toContain('pass: native and core agree')
    expect(code).toBe(0)
  })

  it('says regression where native answers something else, and where', async () => {
    const { origin, close } = await startTampering(sides.native, withBody)
    const { code, stdout } = await parity(origin, sides.core, ...bySandboxKey())
    await close()
    expect(code).toBe(1)
    expect(stdout).toContain('regression  libraries.remove  status at status, blame native')
    expect(stdout).not.toContain('Night')
  })

  it('could not compare where nobody listens', async () => {
    const nowhere = await closedPort()
    const { code, stderr } = await parity(sides.native, nowhere, ...bySandboxKey())
    expect(code).toBe(2)
    expect(stderr).toBe(`parity: the core side does not answer at ${nowhere}\n`)
  })

  it('could not compare where there is neither a token nor a key to sign one with', async () => {
    const { code, stderr } = await parity(sides.native, sides.core, '--state-dir', out)
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('parity: no --token was given, and none can be signed here: no signing key at'),
    ])
  })

  it.each([
    ['an account that is not given', [], 'it needs 2 accounts: --other-token'],
    [
      'a plan that the account is not on',
      ['other'],
      'it needs an account on plan pro; the one given is on free',
    ],
  ])('reports what needs %s as not compared, never as clean', async (_, others, reason) => {
    const { token } = await sides.gateway.signUp({ plan: 'free' })
    const otherFlags = await Promise.all(
      others.map(async () => ['--other-token', (await sides.gateway.signUp()).token]),
    )
    const flags = ['--area', 'libraries.shares.list', '--token', token, ...otherFlags.flat()]
    const { code, stdout } = await parity(sides.native, sides.core, ...flags)
    expect(code).toBe(2)
    expect(stdout).toContain(reason)
    const { summary } = await reportOf()
    expect(summary.counts.not_comparable).toBeGreaterThan(0)
    expect(summary.counts).toMatchObject({ regression: 0, critical: 0, failed: 0 })
  })
})

describe('the flags of npm run parity', () => {
  const both = ['--native', 'http://native.test/v1', '--core', 'https://core.test']

  it('name two deployments by their origins', () => {
    expect(readParityFlags(both)).toMatchObject({
      native: 'http://native.test',
      core: 'https://core.test',
      tokens: [],
    })
  })

  it('take the tokens in their order', () => {
    const flags = ['--token', 'first', '--other-token', 'second', '--other-token', 'third']
    expect(readParityFlags([...both, ...flags]).tokens).toEqual(['first', 'second', 'third'])
  })

  it.each([
    ['a side that is missing', ['--native', 'http://native.test'], '--core is missing'],
    ['an address that is none', ['--native', 'nowhere'], '--native must be an http or https address'],
    ['another scheme', ['--native', 'ftp://native.test'], '--native must be an http or https address'],
    ['a flag nobody knows', [...both, '--speed', '9'], "Unknown option '--speed'"],
  ])('refuse %s', (_, flags, reason) => {
    expect(() => readParityFlags(flags)).toThrow(reason)
  })

  it('refuse a token that is none without showing it', () => {
    expect(() => givenAccounts(['secret'])).toThrow(
      'a token that was given is no JSON Web Token with a subject',
    )
  })
})
