import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMask } from '#migration/diff/mask.ts'
import { createFreshAccountSource } from '#migration/parity/run/accounts.ts'
import { createRecorder } from '#migration/parity/run/recorder.ts'
import { runScenarios } from '#migration/parity/run/run-scenarios.ts'
import { defineScenario, type Scenario } from '#migration/parity/run/scenario.ts'
import { createSandboxSession } from '#migration/parity/run/session.ts'

const time = '2026-11-20T12:00:00.000Z'

type Order = (ids: readonly string[]) => readonly string[]

const startSide = async (order: Order = (ids) => ids.toReversed()) => {
  const idsOf = new Map<string, string[]>()
  const toLibrary = (id: string) => ({
    id,
    name: 'A',
    description: null,
    createdAt: time,
    updatedAt: time,
    trackCount: 0,
    shareCount: 0,
  })
  const server = createServer(({ method, headers }, response) => {
    const account = headers.authorization ?? ''
    const ids = idsOf.get(account) ?? []
    idsOf.set(account, ids)
    const id = crypto.randomUUID()
    if (method === 'POST') ids.push(id)
    const result = method === 'POST' ? toLibrary(id) : { records: order(ids).map(toLibrary) }
    response.writeHead(method === 'POST' ? 201 : 200, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
    })
    response.end(JSON.stringify(result))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const run = async (scenario: Scenario, native: string, core: string) => {
  const mask = createMask('test key')
  const comparisons = await runScenarios([scenario], {
    deployments: {
      native: { name: 'native', origin: native, ignoresRuntimeHeader: true },
      core: { name: 'core', origin: core, ignoresRuntimeHeader: true },
      accounts: createFreshAccountSource(async () => crypto.randomUUID()),
      session: createSandboxSession(),
      hasSharedState: false,
    },
    isCompared: () => true,
    rules: { accepted: [], today: '2026-11-20', mask },
    recorder: createRecorder(mask),
    concurrency: 1,
    onProgress: () => undefined,
  })
  return comparisons.map(({ label, class: found }) => [label, found])
}

const create = (owner: Awaited<ReturnType<Parameters<Scenario['prepare']>[0]['account']>>) =>
  owner.call('libraries.create', { body: { name: owner.newName('A') } })

describe('the ids that a scenario creates during its preparation', () => {
  const listing = defineScenario('libraries.list', 200, 'lists two libraries', async ({ account }) => {
    const owner = await account()
    await create(owner)
    await create(owner)
    return { as: owner }
  })

  it('count as equal even if they differ between the sides', async () => {
    expect(await run(listing, await startSide(), await startSide())).toEqual([['libraries.list', 'equal']])
  })

  it('reveal a different order even if nothing else differs', async () => {
    const oldestFirst = await startSide((ids) => ids)
    expect(await run(listing, oldestFirst, await startSide())).toEqual([['libraries.list', 'regression']])
  })
})

describe("a read after a scenario's write", () => {
  const creating = defineScenario('libraries.create', 201, 'creates a library', async ({ account }) => {
    const owner = await account()
    await create(owner)
    await create(owner)
    return { as: owner, body: { name: 'B' }, reads: [{ label: 'libraries.list', as: owner }] }
  })

  it('is compared, and its differences count against the write', async () => {
    const [same, oldestFirst] = [await startSide(), await startSide((ids) => ids)]
    const found = await run(creating, oldestFirst, same)
    expect(found.filter(([, verdict]) => verdict === 'regression').length).toBeGreaterThan(0)
    expect(new Set(found.map(([label]) => label))).toEqual(new Set(['libraries.create']))
  })

  it("can depend on the write's response, and waits until the scenario has settled", async () => {
    const events: unknown[] = []
    const creatingAgain = defineScenario(
      'libraries.create',
      201,
      'creates a library',
      async ({ account }) => {
        const owner = await account()
        return {
          as: owner,
          body: { name: 'B' },
          settle: async () => events.push('settled'),
          reads: (body) => {
            events.push(body)
            return [{ label: 'libraries.list', as: owner }]
          },
        }
      },
    )
    await run(creatingAgain, await startSide(), await startSide())
    expect(events[0]).toBe('settled')
    expect(events).toContainEqual(expect.objectContaining({ name: 'A', trackCount: 0 }))
  })
})
