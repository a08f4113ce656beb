import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { createMask } from '#migration/diff/mask.ts'
import { createFreshAccountSource } from '#migration/parity/run/accounts.ts'
import type { ReadProviders } from '#migration/parity/run/provider-records.ts'
import { createRecorder } from '#migration/parity/run/recorder.ts'
import { runScenarios } from '#migration/parity/run/run-scenarios.ts'
import { defineScenario, type Scenario } from '#migration/parity/run/scenario.ts'
import type { ScenarioContext } from '#migration/parity/run/scenario-context.ts'
import { createSandboxSession } from '#migration/parity/run/session.ts'

/** Starts a side that responds with the status that `statusOf` returns. */
const serve = async (statusOf: (method: string | undefined, url: string | undefined) => number) => {
  const server = createServer(({ method, url }, response) => {
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
    response.writeHead(statusOf(method, url), headers)
    response.end('{"records":[],"nextCursor":null}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/**
 * Starts a side that responds to POST requests with these statuses in order, and then always with the last one. It
 * responds to all other requests with 200.
 */
const startSide = (...statuses: readonly number[]) => {
  let posts = 0
  return serve((method) => (method === 'POST' ? (statuses[posts++] ?? statuses.at(-1) ?? 201) : 200))
}

const listing = defineScenario('libraries.list', 200, 'lists a library', async ({ account }) => {
  const owner = await account()
  await owner.call('libraries.create', { body: { name: owner.newName('A') } })
  return { as: owner }
})

interface CompareOptions {
  readonly scenario?: Scenario
  readonly isCompared?: (label: Label) => boolean
  readonly readProviders?: ReadProviders
}

const compare = async (
  native: string,
  core: string,
  { scenario = listing, isCompared = () => true, readProviders }: CompareOptions = {},
) => {
  const mask = createMask('test key')
  const comparisons = await runScenarios([scenario], {
    deployments: {
      native: { name: 'native', origin: native, ignoresRuntimeHeader: true },
      core: { name: 'core', origin: core, ignoresRuntimeHeader: true },
      accounts: createFreshAccountSource(async () => 'token'),
      session: createSandboxSession(),
      hasSharedState: true,
      ...(readProviders && { readProviders }),
    },
    isCompared,
    rules: { accepted: [], today: '2026-11-20', mask },
    recorder: createRecorder(mask),
    concurrency: 1,
    onProgress: () => undefined,
  })
  return comparisons.map(({ label, class: found, native: status, differences }) => ({
    label,
    class: found,
    status,
    blame: differences.map(({ blame }) => blame),
  }))
}

const notComparable = { label: 'libraries.list', class: 'not_comparable', status: null, blame: ['unknown'] }

describe('a failed preparation of a scenario', () => {
  it('is a regression of the route that failed if it fails twice, and only on native', async () => {
    const compared = await compare(await startSide(500), await startSide(201))
    expect(compared).toEqual([
      { label: 'libraries.create', class: 'regression', status: 500, blame: ['native'] },
    ])
  })

  it('blames no route if it fails on the core, on both sides, or only once on native', async () => {
    expect(await compare(await startSide(201), await startSide(500))).toEqual([notComparable])
    expect(await compare(await startSide(500), await startSide(500))).toEqual([notComparable])
    expect(await compare(await startSide(503, 201), await startSide(201))).toEqual([notComparable])
  })

  it('blames no route if the run does not compare the route that failed', async () => {
    const isCompared = (label: Label) => label === 'libraries.list'
    expect(await compare(await startSide(500), await startSide(201), { isCompared })).toEqual([notComparable])
  })
})

describe('what a write leaves at the providers', () => {
  const inviting = defineScenario(
    'packs.invitations.create',
    201,
    'invites a person',
    async ({ account }) => ({
      as: await account(),
      params: { packId: 'p' },
      body: { email: 'press@example.test' },
    }),
  )
  const isNative = (nonce: string) => nonce[8] === 'n'
  const compareWith = async (readProviders: ReadProviders) => {
    const compared = await compare(await startSide(201), await startSide(201), {
      scenario: inviting,
      isCompared: (label) => label === inviting.label,
      readProviders,
    })
    return compared.filter(({ class: found, status }) => found === 'regression' && status === null)
  }
  const regression = { label: inviting.label, class: 'regression', status: null, blame: ['native'] }

  it('is a regression of the route if it differs between the sides or is missing on one of them', async () => {
    const found = await Promise.all([
      compareWith(async (nonce) => ({ emails: [{ to: nonce, text: isNative(nonce) ? 'a' : 'b' }] })),
      compareWith(async (nonce) => ({ emails: isNative(nonce) ? [] : [{ to: nonce }] })),
    ])
    expect(found).toEqual([[regression], [regression]])
  })

  it('is a regression if native sends something again after the sides have agreed', async () => {
    const reads = new Map<string, number>()
    const found = await compareWith(async (nonce) => {
      const read = (reads.get(nonce) ?? 0) + 1
      reads.set(nonce, read)
      const isSentAgain = isNative(nonce) && read > 1
      return { emails: Array.from({ length: isSentAgain ? 2 : 1 }, () => ({ to: nonce })) }
    })
    expect(found).toEqual([regression])
  })

  it('is not comparable if the providers cannot be read', async () => {
    const compared = await compare(await startSide(201), await startSide(201), {
      scenario: inviting,
      readProviders: () => Promise.reject(new Error('unreachable')),
    })
    expect(compared).toEqual([{ ...notComparable, label: inviting.label }])
  })

  it('is still a regression if the second run cannot prepare the scenario', async () => {
    const prepare = async (context: ScenarioContext) => {
      await (await context.account()).call('libraries.create', { body: { name: context.unique('A') } })
      return inviting.prepare(context)
    }
    // The first run sends two POST requests to each side. The third one prepares the second run.
    const compared = await compare(await startSide(201, 201, 500), await startSide(201), {
      scenario: { ...inviting, prepare },
      isCompared: (label) => label === inviting.label,
      readProviders: async (nonce) => ({ emails: isNative(nonce) ? [] : [{ to: nonce }] }),
    })
    expect(compared).toContainEqual(regression)
  })

  it('may arrive later on one side, and may contain ids and names that differ by side', async () => {
    let reads = 0
    const found = await compareWith(async (nonce) => ({
      emails: isNative(nonce) && reads++ < 3 ? [] : [{ to: nonce, text: `/invitations/${randomUUID()}` }],
    }))
    expect(found).toEqual([])
    expect(reads).toBeGreaterThan(3)
  })
})

describe('what a write stores', () => {
  it('is a regression if it differs twice, even if an earlier read differed only once', async () => {
    const revoking = defineScenario('packs.links.revoke', 204, 'revokes it', async ({ account, side }) => {
      const owner = await account()
      const reads = [{ label: 'libraries.list', as: owner, query: { by: side.name } }] as const
      return { as: owner, params: { packId: side.name, linkId: 'l' }, reads }
    })
    let reads = 0
    const core = await serve((method, url) => {
      if (method === 'DELETE') return 204
      if (url?.endsWith('?by=native')) return 404
      return url?.endsWith('/native/links') && reads++ === 0 ? 404 : 200
    })
    const compared = await compare(await serve((method) => (method === 'DELETE' ? 204 : 200)), core, {
      scenario: revoking,
      isCompared: (label) => label === revoking.label,
    })
    expect(reads).toBe(2)
    expect(compared.filter(({ class: found }) => found !== 'equal')).toEqual([
      { label: revoking.label, class: 'regression', status: null, blame: ['native'] },
    ])
  })
})

describe('a scenario that reads a route twice', () => {
  it('finds a regression of the second read', async () => {
    const revoking = defineScenario('packs.links.revoke', 204, 'revokes a link', async ({ account }) => {
      const owner = await account()
      const read = { label: 'libraries.list', as: owner } as const
      const reads = [read, { ...read, query: { limit: '1' } }]
      return { as: owner, params: { packId: 'p', linkId: 'l' }, reads }
    })
    const serveWith = (statusOfSecond: number) =>
      serve((method, url) => (method === 'DELETE' ? 204 : url?.endsWith('?limit=1') ? statusOfSecond : 200))
    const compared = await compare(await serveWith(404), await serveWith(200), { scenario: revoking })
    const regression = { label: 'libraries.list', class: 'regression', status: 404, blame: ['native'] }
    expect(compared.filter(({ class: found }) => found !== 'equal')).toEqual([regression, regression])
  })
})
