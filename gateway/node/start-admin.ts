import type { Log } from '../observability/log.ts'
import type { PageApp } from '../pages/page-app.ts'
import { formatListeningUrl } from '../settings/listening-address.ts'
import { createAdminListener } from './admin-listener.ts'
import { createEdgeServer, type EdgeServer } from './http-server.ts'
import { type Address, listenOrThrow } from './listen-error.ts'

interface AdminOptions {
  readonly pages: PageApp
  readonly log: Log
  readonly host: string
  /** Null starts no listener. */
  readonly port: number | null
  /** The setting of the port, for errors. */
  readonly portSetting: 'ADMIN_PORT' | 'JOBS_ADMIN_PORT'
  /** Opens the port; by default in this process. */
  readonly listen?: (edge: EdgeServer, address: Address) => Promise<number>
}

export interface RunningAdmin {
  /** Null if the listener is off. */
  readonly url: string | null
  close(): Promise<void>
}

// Bounds what slow clients of the admin listener can take from the process.
const maxConnections = 256
const headersTimeoutMs = 5000
const keepAliveTimeoutMs = 5000
const responseStallTimeoutMs = 10_000
const drainTimeoutMs = 1000

/** Starts the HTTP server of the admin pages, which is separate from that of the clients. Throws `ListenError`. */
export const startAdmin = async ({
  pages,
  log,
  host,
  port,
  portSetting,
  listen = listenOrThrow,
}: AdminOptions): Promise<RunningAdmin> => {
  if (port === null) return { url: null, close: async () => {} }
  const edge = createEdgeServer({
    ...createAdminListener({ pages, host, log }),
    headersTimeoutMs,
    keepAliveTimeoutMs,
    responseStallTimeoutMs,
  })
  edge.server.maxConnections = maxConnections
  const settings = { host: 'ADMIN_HOST', port: portSetting }
  const boundPort = await listen(edge, { host, port, settings })
  return { url: formatListeningUrl(host, boundPort), close: () => edge.close(drainTimeoutMs) }
}
