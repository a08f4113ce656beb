import { createClient, defineScript } from '@redis/client'
import type { LimitGrant, LimitRefund, LimitReservation } from '#db/queries/rate-limits.ts'
import { runOutsideTraces } from '#shared/tracing/trace.ts'
import { withTimeout } from '#shared/with-timeout.ts'
import { createThrottledLog, type Log } from '../observability/log.ts'
import { type LimitStore, storeTimeoutMs } from './create-limits.ts'

type Parser = Parameters<Parameters<typeof defineScript>[0]['parseCommand']>[0]

// Other applications may share the Redis server.
const keyOf = ({ key }: { readonly key: string }) => `crossfade:limit:${key}`

const pushArguments = (parser: Parser, key: string, values: readonly (string | number)[]) => {
  parser.pushKey(key)
  parser.push(...values.map(String))
}

// Decides like `reserveUses` in db/queries/rate-limits.ts, but by Redis's clock, which does not advance during a
// script. A counter expires with its window.
const reserve = `
local limit, maxHeld, windowMs = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local window, released, own = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local known = redis.call('HMGET', KEYS[1], 'used', 'held', 'resetsAt')
local used, held, resetsAt = tonumber(known[1] or 0), tonumber(known[2] or 0), tonumber(known[3] or 0)
if resetsAt <= now then
  used, held, resetsAt = 0, 0, now + windowMs
end
if resetsAt ~= window then
  released, own = 0, 0
end
used, held = math.min(used, limit), math.max(0, held - released)
local granted = 0
if used < limit then
  local share = math.max(0, maxHeld - held)
  if used ~= own then
    share = math.floor(math.min(share / 2, (limit - used) / 20))
  end
  local advance = math.min(share, limit - used - 1)
  granted, used, held = 1 + advance, used + 1 + advance, held + advance
end
redis.call('HSET', KEYS[1], 'used', used, 'held', held, 'resetsAt', resetsAt)
redis.call('PEXPIREAT', KEYS[1], resetsAt)
return { granted, used, held, string.format('%.0f', resetsAt), resetsAt - now }
`

const refund = `
local window, uses, released = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local known = redis.call('HMGET', KEYS[1], 'used', 'held', 'resetsAt')
if known[3] and window == tonumber(known[3]) then
  local used, held = math.max(0, known[1] - uses), math.max(0, known[2] - released)
  redis.call('HSET', KEYS[1], 'used', used, 'held', held)
end
return 0
`

const limitScripts = {
  reserve: defineScript({
    SCRIPT: reserve,
    NUMBER_OF_KEYS: 1,
    parseCommand(parser: Parser, reservation: LimitReservation) {
      const { limit, maxHeld, windowS, window, released, own } = reservation
      pushArguments(parser, keyOf(reservation), [limit, maxHeld, windowS * 1000, window ?? 0, released, own])
    },
    transformReply(reply: [number, number, number, string, number]): LimitGrant {
      const [granted, used, held, window, resetsInMs] = reply
      return { granted, used, held, window, resetsInS: resetsInMs / 1000 }
    },
  }),

  refund: defineScript({
    SCRIPT: refund,
    NUMBER_OF_KEYS: 1,
    parseCommand(parser: Parser, limitRefund: LimitRefund) {
      const { window, uses, released } = limitRefund
      pushArguments(parser, keyOf(limitRefund), [window, uses, released])
    },
    transformReply: () => undefined,
  }),
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
export const openRedisLimitStore = async (
  url: string,
  log: Log,
  ca?: string,
): Promise<Required<LimitStore>> => {
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
    client = runOutsideTraces(open).client
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
