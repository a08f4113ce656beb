import postgres from 'postgres'
import type { DatabaseServer } from './database-tls.ts'
import { selectServer } from './session-opener.ts'

export interface Subscription {
  /** Connects again if the connection was lost. Does nothing while connected or connecting. */
  reconnect(): void
  close(): Promise<void>
}

interface ListenOptions {
  readonly ca?: string | undefined
  readonly channel: string
  /**
   * Called with the payload of each notification, and with null after each new connection, because notifications may
   * have been missed.
   */
  readonly onNotify: (payload: string | null) => void
  readonly onLost?: () => void
}

const connectTimeoutS = 2

/**
 * Listens to a channel on a separate connection. The driver's own `listen` does not report a lost connection, and stops
 * reconnecting after a failure. Bypass any pooler, because a pooler in transaction mode does not pass on notifications.
 */
export const openSubscription = (
  databaseUrl: string,
  { ca, channel, onNotify, onLost }: ListenOptions,
): Subscription => {
  let client: postgres.Sql | null = null
  let isConnecting = false
  let isClosed = false

  const drop = (dropped: postgres.Sql) => {
    if (client === dropped) client = null
    return dropped.end({ timeout: 0 }).catch(() => undefined)
  }

  const listen = async ({ url, ssl }: DatabaseServer) => {
    const options = {
      max: 1,
      connect_timeout: connectTimeoutS,
      idle_timeout: 0,
      max_lifetime: null,
      fetch_types: false,
      ssl,
      connection: { application_name: 'crossfade' },
      onnotice: () => undefined,
      // The driver supports this option, but the driver's types lack it.
      onnotify: (_: string, payload: string) => onNotify(payload),
      onclose: () => {
        if (client === sql) onLost?.()
        drop(sql)
      },
    }
    const sql: postgres.Sql = postgres(url, options)
    client = sql
    try {
      await sql`listen ${sql(channel)}`.simple()
    } catch (error) {
      await drop(sql)
      throw error
    }
    onNotify(null)
  }

  // Does not report failures, because another attempt follows and callers poll as well.
  const connect = async () => {
    isConnecting = true
    try {
      const server = await selectServer(databaseUrl, ca)
      if (!isClosed) await listen(server)
    } catch {
    } finally {
      isConnecting = false
    }
  }

  return {
    reconnect() {
      if (client === null && !isConnecting && !isClosed) connect()
    },
    async close() {
      isClosed = true
      if (client) await drop(client)
    },
  }
}
