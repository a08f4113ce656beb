import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Starts a core that responds after a delay, and records when each of the gateways' own requests arrived. */
export const startSlowCore = async (initialDelayMs: number) => {
  let delayMs = initialDelayMs
  const askedAt: number[] = []
  const body = JSON.stringify({ records: [], nextCursor: null })
  const server = createServer((request, response) => {
    if (request.headers['x-service-shadow'] === '1') askedAt.push(performance.now())
    setTimeout(() => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      })
      response.end(body)
    }, delayMs)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The cast is safe, because the address of a server that listens on a port has this type.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    askedAt: (): readonly number[] => askedAt,
    setDelay(ms: number) {
      delayMs = ms
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Returns how many of the `times` fall within the busiest second. `times` must be in ascending order. */
export const countInBusiestSecond = (times: readonly number[]) => {
  let most = 0
  let first = 0
  for (let last = 0; last < times.length; last += 1) {
    while ((times[last] ?? 0) - (times[first] ?? 0) >= 1000) first += 1
    most = Math.max(most, last - first + 1)
  }
  return most
}
