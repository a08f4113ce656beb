import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createPinoLog } from '#gateway/observability/log-pino.ts'

const deadlineMs = 30_000
const boundsMs = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, Number.POSITIVE_INFINITY]

/**
 * Imitates, in as little code as possible, what the gateway does for every forwarded request: an id and the client's
 * origin for the core, response headers, a deadline, a duration histogram and a log line.
 */
export const createDuties = () => {
  const log = createPinoLog('info', { instance: randomUUID(), version: '0.0.0' })
  const counts = boundsMs.map(() => 0)
  return (incoming: IncomingMessage) => {
    const startedAt = performance.now()
    const requestId = randomUUID()
    let timer: NodeJS.Timeout | undefined
    let headAt = startedAt
    let bytesOut = 0
    return {
      requestHeaders: () => [
        ...['via', '1.1 bench', 'x-forwarded-for', incoming.socket.remoteAddress ?? ''],
        ...['x-forwarded-proto', 'http', 'x-forwarded-host', incoming.headers.host ?? ''],
        ...['x-request-id', requestId],
      ],
      startDeadline(abort: () => void) {
        timer = setTimeout(abort, deadlineMs)
      },
      responseHeaders() {
        headAt = performance.now()
        return {
          'x-service-core-runtime': 'proxy',
          'x-service-native-route': 'packs.get',
          'x-service-proxy-fallback': '0',
          'x-request-id': requestId,
        }
      },
      count(bytes: number) {
        bytesOut += bytes
      },
      end(status: number) {
        clearTimeout(timer)
        const durationMs = performance.now() - startedAt
        const bucket = boundsMs.findIndex((bound) => durationMs <= bound)
        counts[bucket] = (counts[bucket] ?? 0) + 1

        log.request({
          ...{ requestId, traceId: '', method: incoming.method ?? '', route: 'packs.get', runtime: 'proxy' },
          ...{ reason: 'static', epoch: undefined, fallback: undefined, fallbackReason: undefined, status },
          ...{ replayed: undefined, error: undefined, unauthorizedReason: undefined, account: undefined },
          ...{ durationMs, coreMs: headAt - startedAt, bytesIn: undefined, bytesOut },
        })
      },
    }
  }
}
