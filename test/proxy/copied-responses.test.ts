import { Agent, get } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import type { CoreResponse } from '#proxy/core-response.ts'
import { countCases } from '#test/support/count-cases.ts'
import { createRandom } from '#test/support/random.ts'
import { startForwardingGateway } from './forwarding-gateway.ts'
import { bodyOf, pickEncoding, startFragmentingCore } from './fragmenting-core.ts'

const concurrentClients = 32
const keptCopies = 200

/** Whether the client receives the whole response. If `abortAfterMs` is not null, it disconnects after that time. */
const receivesAll = (url: string, agent: Agent, abortAfterMs: number | null) =>
  new Promise<boolean>((resolve) => {
    const request = get(url, { agent }, (response) => {
      response.resume().on('close', () => resolve(response.complete))
    })
    request.on('error', () => resolve(false))
    if (abortAfterMs !== null) setTimeout(() => request.destroy(), abortAfterMs)
  })

it("copies of concurrent responses never contain another request's bytes", async () => {
  const random = createRandom(17)
  const total = countCases(100_000, 0.01)
  const counts = { copies: 0, bodies: 0, wrong: 0, incomplete: 0 }
  const kept: { path: string; copy: CoreResponse }[] = []

  const isOwn = (body: Buffer, path: string) => {
    const [, id = '', size = '', encoding] = path.split('/')
    const decoded = encoding === 'identity' ? body : gunzipSync(body)
    return decoded.equals(bodyOf(id, Number(size)))
  }
  const isOwnOrInvalid = (body: Buffer, path: string) => {
    try {
      return isOwn(body, path)
    } catch {
      return false
    }
  }
  const check = ({ path, copy: { body } }: (typeof kept)[number]) => {
    if (body === null) return
    counts.bodies += 1
    if (!isOwnOrInvalid(body, path)) counts.wrong += 1
  }
  // Checks a copy only after many later responses have reused the memory that responses are read into.
  const tapOf = (path: string) => (copy: CoreResponse) => {
    counts.copies += 1
    kept.push({ path, copy })
    if (kept.length > keptCopies) kept.splice(0, 1).forEach(check)
    return undefined
  }

  const gateway = await startForwardingGateway(await startFragmentingCore(random), { tapOf })
  const agent = new Agent({ keepAlive: true, maxSockets: concurrentClients })
  onTestFinished(async () => {
    agent.destroy()
    await gateway.close()
  })

  let started = 0
  const runClient = async () => {
    while (started < total) {
      started += 1
      // From 1 byte to 200 KiB, with half of the sizes below 800 bytes.
      const path = `/${started}/${Math.ceil(204_800 * (1 - random()) ** 8)}/${pickEncoding(random)}`
      const abortAfterMs = random() < 0.1 ? random() * 4 : null
      const isComplete = await receivesAll(`http://127.0.0.1:${gateway.port}${path}`, agent, abortAfterMs)
      if (!isComplete && abortAfterMs === null) counts.incomplete += 1
    }
  }
  await Promise.all(Array.from({ length: concurrentClients }, runClient))
  kept.forEach(check)

  const completed = gateway.outcomes.filter(({ kind }) => kind === 'completed').length
  const aborted = gateway.outcomes.filter(({ kind }) => kind === 'client-gone').length
  expect(counts).toMatchObject({ wrong: 0, incomplete: 0, copies: completed })
  expect(counts.bodies).toBeGreaterThan(total * 0.75)
  expect(counts.bodies).toBeLessThan(counts.copies)
  expect(aborted).toBeGreaterThan(total * 0.01)
}, 1_800_000)
