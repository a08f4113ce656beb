import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { createMask } from '#migration/diff/mask.ts'
import { createFreshAccountSource } from '#migration/parity/run/accounts.ts'
import { createRecorder } from '#migration/parity/run/recorder.ts'
import { runScenarios } from '#migration/parity/run/run-scenarios.ts'
import { defineScenario } from '#migration/parity/run/scenario.ts'
import { createSandboxSession } from '#migration/parity/run/session.ts'

/**
 * Starts a side that responds to POST requests with these statuses, repeating the last one, and to everything else with
 * 200.
 */
const startSide = async (...statuses: readonly number[]) => {
  let posts = 0
  const server = createServer(({ method }, response) => {
    const status = method === 'POST' ? (statuses[posts++] ?? statuses.at(-1) ?? 201) : 200
    response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    response.end('{"records":[],"nextCursor":null}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const listing = defineScenario('libraries.list', 200, 'lists a library', async ({ account }) => {
  const owner = await account()
  await owner.call('libraries.create', { body: { name: owner.newName('A') } })
  return { as: owner }
})

const compare = async (native: string, core: string, isCompared: (label: Label) => boolean = () => true) => {
  const mask = createMask('test key')
  const comparisons = await runScenarios([listing], {
    deployments: {
      native: { name: 'native', origin: native, ignoresRuntimeHeader: true },
      core: { name: 'core', origin: core, ignoresRuntimeHeader: true },
      accounts: createFreshAccountSource(async () => 'token'),
      session: createSandboxSession(),
      hasSharedState: true,
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

describe('a scenario whose preparation fails', () => {
  it('twice on native only is a regression of the route that failed', async () => {
    const compared = await compare(await startSide(500), await startSide(201))
    expect(compared).toEqual([
      { label: 'libraries.create', class: 'regression', status: 500, blame: ['native'] },
    ])
  })

  it('on the core, on both sides, or only once on native, blames no route', async () => {
    expect(await compare(await startSide(201), await startSide(500))).toEqual([notComparable])
    expect(await compare(await startSide(500), await startSide(500))).toEqual([notComparable])
    expect(await compare(await startSide(503, 201), await startSide(201))).toEqual([notComparable])
  })

  it('on a route that the run does not compare blames no route', async () => {
    const isCompared = (label: Label) => label === 'libraries.list'
    expect(await compare(await startSide(500), await startSide(201), isCompared)).toEqual([notComparable])
  })
})
