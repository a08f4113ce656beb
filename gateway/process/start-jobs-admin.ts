import { openDatabase } from '#db/client/connection.ts'
import { readOwnBuild } from '#migration/evidence/own-build.ts'
import { createPromRegistry } from '../adapters/metrics-prom-client.ts'
import { type RunningAdmin, startAdmin } from '../node/start-admin.ts'
import { buildFamily } from '../observability/build-metrics.ts'
import { createQueueFamilies } from '../observability/jobs-metrics.ts'
import type { Log } from '../observability/log.ts'
import type { MetricsRegistry } from '../observability/metric-family.ts'
import { type ProcessState, readDatabaseState } from '../observability/readiness.ts'
import { shareRecent } from '../observability/share-recent.ts'
import { createAdminPages } from '../pages/admin-pages.ts'
import type { JobSettings } from '../settings/settings.ts'

/** Starts the admin listener of the jobs process. Throws `ListenError`. */
export const startJobsAdmin = async (
  settings: Pick<
    JobSettings,
    'DATABASE_URL' | 'DATABASE_CA' | 'DATABASE_PREPARE' | 'ADMIN_HOST' | 'JOBS_ADMIN_PORT'
  >,
  log: Log,
  processState: ProcessState,
  registry: MetricsRegistry = createPromRegistry(),
): Promise<RunningAdmin> => {
  // A connection of its own: those of the jobs may all be in use.
  const { DATABASE_URL: url, DATABASE_CA: ca, DATABASE_PREPARE: prepare } = settings
  const database = openDatabase(url, { ca, prepare, connections: 1 })
  registry.register([buildFamily(readOwnBuild().id, process.versions.node), ...createQueueFamilies(database)])
  const pages = createAdminPages({
    readiness: { processState, readStates: shareRecent(() => readDatabaseState(database)) },
    formatMetrics: registry.format,
    additionalPages: [],
  })
  const admin = await startAdmin({
    pages,
    log,
    host: settings.ADMIN_HOST,
    port: settings.JOBS_ADMIN_PORT,
    portSetting: 'JOBS_ADMIN_PORT',
  })
  return {
    url: admin.url,
    close: async () => {
      await admin.close()
      await database.close()
    },
  }
}
