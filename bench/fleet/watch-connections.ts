import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import type { Fleet } from './open-fleet.ts'

const intervalMs = 250

interface PooledConnections {
  /** Connections of the instances to PgBouncer. */
  clients: number
  /** Clients that waited for a connection to the server. */
  waiting: number
  /** Connections of PgBouncer to the server. */
  servers: number
}

export interface ConnectionPeaks {
  readonly pooled: Readonly<PooledConnections>
  /** Connections to the server by `application_name`. */
  readonly byApplication: ReadonlyMap<string, number>
}

const highestOf = (peaks: PooledConnections, now: PooledConnections) => {
  peaks.clients = Math.max(peaks.clients, now.clients)
  peaks.waiting = Math.max(peaks.waiting, now.waiting)
  peaks.servers = Math.max(peaks.servers, now.servers)
}

const readPools = async (console: postgres.Sql): Promise<PooledConnections> => {
  // Its console knows the simple protocol only.
  const pools = (await console`show pools`.simple()).filter(({ database }) => database !== 'pgbouncer')
  const sum = (...columns: readonly string[]) =>
    pools.reduce((total, pool) => columns.reduce((count, name) => count + Number(pool[name]), total), 0)
  return {
    clients: sum('cl_active', 'cl_waiting'),
    waiting: sum('cl_waiting'),
    servers: sum('sv_active', 'sv_idle', 'sv_used'),
  }
}

/** Watches the connections of a fleet; `stop` resolves to the most of each kind at a time. */
export const watchConnections = ({ sql, poolerConsoleUrl, stopBefore }: Fleet) => {
  const console =
    poolerConsoleUrl === null
      ? null
      : postgres(poolerConsoleUrl, { max: 1, fetch_types: false, onnotice: () => undefined })
  const pooled: PooledConnections = { clients: 0, waiting: 0, servers: 0 }
  const byApplication = new Map<string, number>()
  let isStopped = false
  const watch = async () => {
    while (!isStopped) {
      if (console) highestOf(pooled, await readPools(console))
      const rows = await sql`
        select application_name as name, count(*)::int as count from pg_stat_activity
        where datname = current_database() group by 1`
      for (const { name, count } of rows)
        byApplication.set(String(name), Math.max(byApplication.get(String(name)) ?? 0, Number(count)))
      await sleep(intervalMs)
    }
  }
  const watching = watch()
  const stop = async (): Promise<ConnectionPeaks> => {
    isStopped = true
    await watching
    await console?.end({ timeout: 1 })
    return { pooled, byApplication }
  }
  stopBefore(async () => {
    isStopped = true
    await watching.catch(() => undefined)
  })
  return { stop }
}
