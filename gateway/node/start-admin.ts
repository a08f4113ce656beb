import type { Log } from '../observability/log.ts'
import type { PageApp } from '../pages/page-app.ts'
import { formatListeningUrl } from '../settings/listening-address.ts'
import { createAdminListener } from './admin-listener.ts'
import { createEdgeServer } from './http-server.ts'
import { listenOrThrow } from './listen-error.ts'

interface AdminOptions {
  readonly pages: PageApp
  readonly log: Log
  readonly host: string
  /** Null starts no listener. */
  readonly port: number | null
  /** The setting of the port, for errors. */
  readonly portSetting: 'ADMIN_PORT' | 'JOBS_ADMIN_PORT'
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
  const boundPort = await listenOrThrow(edge, { host, port, settings })
  return { url: formatListeningUrl(host, boundPort), close: () => edge.close(drainTimeoutMs) }
}
