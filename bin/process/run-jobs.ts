import { createQueueFamilies } from '#bin/process/jobs-metrics.ts'
import { openDatabase } from '#db/client/connection.ts'
import { type RunningAdmin, startAdmin } from '#gateway/node/admin-listener.ts'
import type { Log } from '#gateway/observability/log.ts'
import type { MetricsRegistry } from '#gateway/observability/metric-family.ts'
import { buildFamily, createPromRegistry } from '#gateway/observability/metrics-prom-client.ts'
import { type ProcessState, readDatabaseState } from '#gateway/observability/readiness.ts'
import { createAdminPages } from '#gateway/pages/compose-pages.ts'
import { type JobSettings, readJobSettings } from '#gateway/settings/settings.ts'
import { findFfmpeg } from '#jobs/analysis/find-ffmpeg.ts'
import { readOwnBuild } from '#migration/evidence-keys/own-build.ts'
import { shareRecent } from '#shared/share-recent.ts'
import { exitOnFailure, openProcessLog, readFollowedSettings, shutDownOnSignal } from './lifecycle.ts'
import { migrateOrExit, requirePreparedStatements } from './prepare-database.ts'
import { startJobs } from './start-jobs.ts'

export const startJobsAdmin = async (
  settings: Pick<
    JobSettings,
    'DATABASE_URL' | 'DATABASE_CA' | 'DATABASE_PREPARE' | 'ADMIN_HOST' | 'JOBS_ADMIN_PORT'
  >,
  log: Log,
  processState: ProcessState,
  registry: MetricsRegistry = createPromRegistry(),
): Promise<RunningAdmin> => {
  // A separate connection, because the jobs may use all of theirs.
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

const start = async () => {
  const { settings, follow } = await readFollowedSettings((environment) =>
    readJobSettings(environment, (path) => findFfmpeg(path) !== null),
  )
  const { log, instanceId } = openProcessLog(settings)
  follow(log)

  await migrateOrExit(settings, log)
  await requirePreparedStatements(settings)

  const state: ProcessState = { phase: 'starting' }
  const registry = createPromRegistry()
  const admin = await startJobsAdmin(settings, log, state, registry)
  const worker = await startJobs(settings, log, { registry, instanceId })
  state.phase = 'ready'

  shutDownOnSignal(log, async () => {
    state.phase = 'draining'
    await worker.stop(settings.DRAIN_MS)
    await admin.close()
  })

  const { url: adminUrl } = admin
  log.info({ adminUrl }, 'job worker started')
  // `dev/start/start-child.ts` waits for this message.
  process.send?.({ adminUrl, ffmpegPath: worker.ffmpegPath })
}

export const runJobs = () => start().catch(exitOnFailure('job worker'))
