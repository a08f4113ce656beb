import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { ParityReport } from '#migration/parity/report/summary.ts'
import { runParity, withTokens } from './run-parity.ts'
import { type ProxiedRequest, startBothSides, startTampering, type Tampering } from './two-sides.ts'

const sides = startBothSides()

let out = ''
beforeAll(async () => {
  out = await mkdtemp(join(tmpdir(), 'crossfade-parity-safety-'))
})
afterAll(() => rm(out, { recursive: true, force: true }))

interface Account {
  readonly token: string
}

const call = async (account: Account, path: string, body?: object) => {
  const response = await fetch(sides.native + path, {
    headers: { authorization: `Bearer ${account.token}` },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  expect(response.ok).toBe(true)
  return response.json()
}

const listTitles = async (account: Account) => {
  const lists = await Promise.all(
    ['libraries', 'tracks', 'packs'].map((name) => call(account, `/v1/${name}`)),
  )
  return lists.flatMap(({ records }) =>
    records.map(({ name, title }: { name?: string; title?: string }) => name ?? title),
  )
}

const start = async (side: 'native' | 'core', tampering: Tampering) => {
  const { origin, close } = await startTampering(sides[side], tampering)
  onTestFinished(close)
  return origin
}

interface Run {
  readonly area: string
  readonly accounts: readonly Account[]
  readonly native?: string
  readonly core?: string
  readonly flags?: readonly string[]
}

const run = ({ area, accounts, native = sides.native, core = sides.core, flags = ['--yes'] }: Run) =>
  runParity({
    flags: ['--native', native, '--core', core, '--area', area, '--out', out, ...flags],
    environment: withTokens(...accounts),
  })

const readCounts = async () => {
  const report: ParityReport = JSON.parse(await readFile(join(out, 'parity.json'), 'utf8'))
  return report.summary.counts
}

const signUpPair = async () => [await sides.gateway.signUp({ plan: 'pro' }), await sides.gateway.signUp()]

// Each test starts a process that compares whole areas.
describe('npm run parity with existing accounts', { timeout: 60_000 }, () => {
  it('sends nothing without --yes, but prints what it would write', async () => {
    const seen: ProxiedRequest[] = []
    const request = (passing: ProxiedRequest) => {
      seen.push(passing)
      return passing
    }
    const native = await start('native', { request })
    const core = await start('core', { request })
    const accounts = await signUpPair()
    const { exitCode, stdout, stderr } = await run({ area: 'libraries', accounts, native, core, flags: [] })
    expect([exitCode, stderr]).toEqual([2, 'parity: nothing was sent: add --yes to run the comparison\n'])
    expect(stdout).toContain(native)
    expect(stdout).toContain(core)
    expect(stdout).toContain('the accounts of PARITY_TOKEN_A, PARITY_TOKEN_B')
    expect(stdout).not.toContain(accounts[0]!.token)
    expect(seen).toEqual([])
  })

  it('creates libraries with names of its own, and leaves the accounts as they were', async () => {
    const accounts = await signUpPair()
    for (const name of ['Night Drives', 'Demos', 'Straße'])
      await call(accounts[0]!, '/v1/libraries', { name })
    const before = await listTitles(accounts[0]!)
    const names = { native: [] as string[], core: [] as string[] }
    const collect = (side: 'native' | 'core'): Tampering => ({
      response: (response, { label, text }) => {
        if (label === 'libraries.create' && response.status === 201) names[side].push(JSON.parse(text).name)
        return response
      },
    })
    const native = await start('native', collect('native'))
    const core = await start('core', collect('core'))
    const { stdout } = await run({ area: 'libraries.create', accounts, native, core })
    expect(await readCounts()).toMatchObject({ regression: 0, critical: 0, failed: 0, not_comparable: 0 })
    const [, runId] = /Run ([0-9a-f]{8}) creates/.exec(stdout) ?? []
    expect(names.native.length).toBeGreaterThan(5)
    expect(names.native.filter((name) => !name.includes(`${runId}n`))).toEqual([])
    expect(names.core.filter((name) => !name.includes(`${runId}c`))).toEqual([])
    expect(await listTitles(accounts[0]!)).toEqual(before)
    expect(await listTitles(accounts[1]!)).toEqual([])
    expect(stdout).toContain('Everything that was created has been removed.')
  })

  it('warns and compares the other routes if the first account has reached its library limit', async () => {
    const tampering: Tampering = {
      response: (response, { label }) =>
        label === 'libraries.create'
          ? { ...response, status: 403, text: '{"error":"entitlement_required"}' }
          : response,
    }
    const native = await start('native', tampering)
    const core = await start('core', tampering)
    const { stdout } = await run({
      area: 'tracks.lyrics.replace',
      accounts: await signUpPair(),
      native,
      core,
    })
    expect(stdout).toContain('warning: it is not known whether both sides use the same database')
    expect(stdout).toContain('libraries.create returned 403 entitlement_required')
    expect(await readCounts()).toMatchObject({ regression: 0, critical: 0, failed: 0 })
    expect((await readCounts()).equal).toBeGreaterThan(3)
  })

  it('removes what it created even if scenarios fail or responses are lost', async () => {
    const accounts = await signUpPair()
    let creations = 0
    const native = await start('native', {
      response: (response, { label }) => {
        if (label === 'libraries.tracks.add') return { ...response, status: 500, text: '{}' }
        return label === 'libraries.create' && ++creations % 2 === 0 ? 'hang-up' : response
      },
    })
    await run({ area: 'libraries.remove', accounts, native })
    expect(creations).toBeGreaterThan(3)
    expect([...(await listTitles(accounts[0]!)), ...(await listTitles(accounts[1]!))]).toEqual([])
  })

  it('removes what it created even if it is interrupted', async () => {
    const accounts = await signUpPair()
    let creations = 0
    let interrupt = () => {}
    const native = await start('native', {
      response: (response, { label }) => {
        if (label === 'tracks.create' && ++creations === 3) interrupt()
        return response
      },
    })
    const flags = ['--native', native, '--core', sides.core, '--area', 'tracks', '--out', out, '--yes']
    const { exitCode, stderr } = await runParity({
      flags,
      environment: withTokens(...accounts),
      onStart: (child) => {
        interrupt = () => child.kill('SIGTERM')
      },
    })
    expect(exitCode).toBe(2)
    expect(stderr).toBe('parity: interrupted, removing what was created\nparity: interrupted\n')
    expect(creations).toBeLessThan(10)
    expect(await listTitles(accounts[0]!)).toEqual([])
  })

  it('lists what it could not remove and exits with 4', async () => {
    let stuck: string | undefined
    const native = await start('native', {
      response: (response, { label, path }) => {
        if (label !== 'libraries.remove') return response
        stuck ??= path
        return path === stuck ? { ...response, status: 500, text: '{}' } : response
      },
      request: (request) => {
        if (request.label === 'libraries.remove') stuck ??= request.path
        return request.path === stuck && request.label === 'libraries.remove'
          ? { ...request, method: 'GET' }
          : request
      },
    })
    const { gateway } = sides
    const flags = ['--native', native, '--core', sides.core, '--area', 'libraries.shares.list']
    const { exitCode, stdout } = await runParity({
      flags: [...flags, '--out', out, '--yes', '--billing', '--state-dir', gateway.stateDir],
    })
    expect(stdout).toContain('pass: native and core agree')
    expect(stdout).toMatch(/warning: \d+ scenarios? not compared: .* need rows that no route stores/)
    expect(stdout).toContain(
      `Could not be removed:\n  libraries.remove on the native side returned 500: ${stuck?.split('/').at(-1)}\n`,
    )
    expect(exitCode).toBe(4)
  })

  it('sends no billing request for an account unless --billing is given', async () => {
    const accounts = await signUpPair()
    const before = await call(accounts[0]!, '/v1/billing/status')
    const reached: string[] = []
    const native = await start('native', {
      response: (response, { label, method }) => {
        if (label?.startsWith('billing.') && method === 'POST' && response.status !== 401) reached.push(label)
        return response
      },
    })
    const { exitCode, stdout } = await run({ area: 'billing', accounts, native })
    expect(exitCode).toBe(2)
    expect(stdout).toContain(
      'billing.cancel may change a subscription at the billing provider: add --billing',
    )
    expect(reached).toEqual([])
    expect(await call(accounts[0]!, '/v1/billing/status')).toEqual(before)
  })

  it.each([
    ['create', 'and its short link remains at the link provider'],
    ['reset', 'no route removes the short link that a reset replaced at the link provider'],
  ])(
    'creates no short link at the link provider for tracks.share-links.%s without --irreversible',
    async (change, reason) => {
      const accounts = await signUpPair()
      const seen: string[] = []
      const native = await start('native', {
        response: (response, { label }) => {
          if (response.status < 300 && label?.startsWith('tracks.share-links.')) seen.push(label)
          return response
        },
      })
      const area = `tracks.share-links.${change}`
      const { stdout } = await run({ area, accounts, native })
      expect(stdout).toContain('links to tracks with their short links')
      expect(stdout).toContain('no route undoes the effects of tracks.share-links.create: add --irreversible')
      expect(seen.filter((label) => label !== 'tracks.share-links.list')).toEqual([])
      const { stdout: allowed } = await run({ area, accounts, native, flags: ['--yes', '--irreversible'] })
      expect(allowed).toContain('creates short links at the link provider')
      expect(allowed).toContain(reason)
      expect(seen).toContain(area)
    },
  )

  it('visits no link unless --irreversible is given, and then lists what no route can remove', async () => {
    const accounts = await signUpPair()
    const { stdout } = await run({ area: 'public.pack-links.detail', accounts })
    expect(stdout).toContain('no route undoes the effects of public.pack-links.detail: add --irreversible')
    const { stdout: allowed } = await run({
      area: 'public.track-links.detail',
      accounts,
      flags: ['--yes', '--irreversible'],
    })
    expect(allowed).toMatch(
      /a link can be revoked but not deleted, and its short link remains at the link provider: [0-9a-f-]{36}, /,
    )
    expect(allowed).toMatch(/no route removes recorded visits and downloads: .*: public\.track-links\.detail/)
    expect(await listTitles(accounts[0]!)).toEqual([])
  })
})
