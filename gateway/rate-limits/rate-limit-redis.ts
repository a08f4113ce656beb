import { createClient } from '@redis/client'
import { withTimeout } from '#shared/with-timeout.ts'
import { createThrottledLog, type Log } from '../observability/log.ts'
import { type LimitStore, storeTimeoutMs } from './create-limits.ts'
import { limitScripts } from './redis-scripts.ts'

export interface RedisLimitStore extends LimitStore {
  close(): void
}

/** Redis did not respond, so the command may or may not have run. */
class RedisUnreachable extends Error {
  override name = 'RedisUnreachable'
}

const maxReconnectDelayMs = 2000
const maxQueuedCommands = 10_000
// The socket timeout detects a server that accepts the connection and then ignores AUTH. Pings keep an idle connection
// from reaching that timeout.
const pingIntervalMs = 10_000
const socketTimeoutMs = 30_000

const createRedisClient = (url: string, ca: string | undefined) =>
  createClient({
    url,
    scripts: limitScripts,
    // RESP 2 needs no HELLO, which proxies in front of Redis may reject.
    RESP: 2,
    // No commands are queued while disconnected, because limits are then counted in memory.
    disableOfflineQueue: true,
    commandsQueueMaxLength: maxQueuedCommands,
    pingInterval: pingIntervalMs,
    socket: {
      socketTimeout: socketTimeoutMs,
      connectTimeout: storeTimeoutMs,
      ...(ca !== undefined && url.startsWith('rediss:') ? { tls: true as const, ca } : {}),
      reconnectStrategy: (attempts) => Math.min(maxReconnectDelayMs, 50 * 2 ** Math.min(attempts, 10)),
    },
  })

/**
 * While disconnected, every call fails immediately and reconnecting goes on in the background. `ca` holds trusted
 * certificates as PEM and defaults to Node's.
 */
export const openRedisLimitStore = async (url: string, log: Log, ca?: string): Promise<RedisLimitStore> => {
  const logThrottled = createThrottledLog(log)
  const open = () => {
    const client = createRedisClient(url, ca)
    client.on('error', (error) => logThrottled(error, 'failed to connect to redis'))
    // `connect` retries until the client is closed, and fails only then.
    const connected = client.connect().then(
      () => undefined,
      () => undefined,
    )
    return { client, connected }
  }
  let { client, connected } = open()
  let isClosed = false

  // A connection can die silently, and TCP takes minutes to notice.
  const replaceConnection = (stale: typeof client) => {
    if (isClosed || client !== stale) return
    stale.destroy()
    client = open().client
  }

  const run = async <T>(work: (on: typeof client) => readonly Promise<T>[]) => {
    const current = client
    return withTimeout(storeTimeoutMs, Promise.all(work(current)), () => {
      replaceConnection(current)
      throw new RedisUnreachable(`no response within ${storeTimeoutMs} ms`)
    })
  }

  await withTimeout(storeTimeoutMs, connected, () => undefined)
  return {
    reserve: (reservations) => run((on) => reservations.map((reservation) => on.reserve(reservation))),
    async refund(refunds) {
      await run((on) => refunds.map((limitRefund) => on.refund(limitRefund)))
    },
    // Redis expires counters itself.
    async deleteExpired() {},
    close() {
      isClosed = true
      client.destroy()
    },
  }
}
