import { openDatabase } from '#db/client/connection.ts'
import { createDatabasePort } from '#db/client/drizzle.ts'
import { openQueueDatabase } from '#db/client/queue-database.ts'
import { createDubClient, type DubOptions } from '#gateway/adapters/link-tracking-dub.ts'
import { createS3ObjectStorage } from '#gateway/adapters/object-storage-s3.ts'
import { type RunningAdmin, startAdmin } from '#gateway/node/admin-listener.ts'
import { lastExportTimeoutMs, openMetricExport, openTracing } from '#gateway/node/open-dependencies.ts'
import { createDatabaseFamilies, createLossFamilies } from '#gateway/observability/dependency-metrics.ts'
import { createThrottledLog, type Log } from '#gateway/observability/log.ts'
import { readLostLines } from '#gateway/observability/log-pino.ts'
import type { MetricsRegistry } from '#gateway/observability/metric-family.ts'
import { buildFamily, createPromRegistry } from '#gateway/observability/metrics-prom-client.ts'
import { type ProcessState, readDatabaseState } from '#gateway/observability/readiness.ts'
import { createAdminPages } from '#gateway/pages/compose-pages.ts'
import { readEmailOptions } from '#gateway/settings/email.ts'
import { readLinkOptions } from '#gateway/settings/links.ts'
import { readStemOrigins, readStorageOptions } from '#gateway/settings/media.ts'
import { readNotifyOptions } from '#gateway/settings/notify.ts'
import { type JobSettings, readJobSettings } from '#gateway/settings/settings.ts'
import { createResendEmail } from '#jobs/adapters/email-resend.ts'
import { createAnalysisService } from '#jobs/adapters/media-intelligence-http.ts'
import { createNoticeWebhook } from '#jobs/adapters/notices-webhook.ts'
import { createStemDownload } from '#jobs/adapters/stem-download-undici.ts'
import { findFfmpeg } from '#jobs/analysis/find-ffmpeg.ts'
import { findInfrastructureFailure } from '#jobs/find-infrastructure-failure.ts'
import type { SalesPort } from '#jobs/ports.ts'
import {
  type EndedJob,
  type JobWorker,
  type JobWorkerOptions,
  startJobWorker,
} from '#jobs/start-job-worker.ts'
import { readOwnBuild } from '#migration/evidence-keys/own-build.ts'
import { describeError } from '#shared/describe-error.ts'
import { sendToParent } from '#shared/processes/child-process.ts'
import { shareRecent } from '#shared/share-recent.ts'
import { waitForAll } from '#shared/wait-for-all.ts'
import { createJobCounts, createQueueFamilies } from './jobs-metrics.ts'
import { exitOnFailure, openProcessLog, readFollowedSettings, shutDownOnSignal } from './lifecycle.ts'
import { migrateOrExit, requirePreparedStatements } from './prepare-database.ts'
import { createReconciliationPort } from './reconciliation-port.ts'

const createAnalysisPort = (settings: JobSettings) => {
  const { MEDIA_INTELLIGENCE_URL: url, MEDIA_INTELLIGENCE_SECRET: secrets, PUBLIC_BASE_URL: base } = settings
  // The settings require PUBLIC_BASE_URL whenever MEDIA_INTELLIGENCE_URL is set.
  if (url === undefined || secrets === undefined || base === undefined) return null
  return createAnalysisService({
    url,
    get secret() {
      return (settings.MEDIA_INTELLIGENCE_SECRET ?? secrets)[0]
    },
    callbackUrl: `${base}/v1/media-intelligence/callback`,
  })
}

const saleTimeoutMs = 10_000

/** Reports sales to Dub, which deduplicates them by invoice id. */
export const createDubSales = (options: DubOptions): SalesPort => {
  const call = createDubClient(options)
  return {
    async report({ invoiceId, accountId, clickId, amount, currency }) {
      await call('/track/sale', {
        method: 'POST',
        body: {
          clickId,
          customerExternalId: accountId,
          amount,
          currency,
          invoiceId,
          paymentProcessor: 'stripe',
        },
        signal: AbortSignal.timeout(saleTimeoutMs),
      })
    },
  }
}

const openJobDatabases = (settings: JobSettings) => {
  const { DATABASE_URL: url, DATABASE_CA: ca, DATABASE_PREPARE: prepare, DATABASE_POOL_SIZE: size } = settings
  const options = { ca, prepare, connections: Math.ceil(size / 2) }
  return { database: openDatabase(url, options), queues: openQueueDatabase(url, options) }
}

const createIfConfigured = <O, P>(options: O | null, create: (options: O) => P) =>
  options === null ? null : create(options)

const logEndedJob = (log: Log, { queue, id, result, durationMs, error }: EndedJob) => {
  const fields = { queue, job: id, durationMs: Math.round(durationMs) }
  if (result === 'failed') {
    const waitsFor = findInfrastructureFailure(error)
    const failure = describeError(error)
    log.warn({ ...fields, ...(waitsFor === null ? {} : { waitsFor }), failure }, 'job failed')
  } else log.info(fields, result === 'done' ? 'job completed' : 'job released')
}

interface StartJobsOptions extends Pick<JobWorkerOptions, 'sweepIntervalMs'> {
  readonly registry?: MetricsRegistry
  readonly instanceId?: string
}

interface StartedJobs extends JobWorker {
  readonly ffmpegPath: string | null
}

export const startJobs = async (
  settings: JobSettings,
  log: Log,
  { registry, instanceId = crypto.randomUUID(), ...sweepOptions }: StartJobsOptions = {},
): Promise<StartedJobs> => {
  const observed = { serviceName: 'crossfade-jobs', instanceId, log }
  const tracer = await openTracing(settings, observed)
  const metricExport = registry ? await openMetricExport(settings, registry, observed) : null
  const { database, queues } = openJobDatabases(settings)
  const counts = createJobCounts()
  registry?.register([
    ...createLossFamilies(readLostLines, tracer, metricExport),
    ...counts.families,
    ...createDatabaseFamilies({ jobs: database, queues }),
  ])
  const db = createDatabasePort(database)
  const logThrottled = createThrottledLog(log)
  const ffmpeg = findFfmpeg(settings.FFMPEG_PATH)
  if (!ffmpeg) log.warn({}, 'ffmpeg not found')
  const worker = await startJobWorker({
    queues,
    notifications: {
      databaseUrl: settings.DATABASE_DIRECT_URL ?? settings.DATABASE_URL,
      ca: settings.DATABASE_CA,
    },
    ports: {
      db,
      storage: createS3ObjectStorage(readStorageOptions(settings)),
      analysis: createAnalysisPort(settings),
      stems: createStemDownload({
        allowedOrigins: readStemOrigins(settings),
        maxBytes: settings.UPLOAD_MAX_AUDIO_BYTES,
      }),
      ffmpeg,
      billing: createReconciliationPort(settings, db, log),
      sales: createIfConfigured(readLinkOptions(settings), createDubSales),
      email: createIfConfigured(readEmailOptions(settings), createResendEmail),
      notices: createIfConfigured(readNotifyOptions(settings), createNoticeWebhook),
      appOrigin: settings.APP_ORIGIN ?? null,
      eventRetentionDays: settings.EVENT_RETENTION_DAYS,
      threadRetentionDays: settings.AI_THREAD_RETENTION_DAYS,
      clock: { now: () => new Date() },
      log,
    },
    onError: (error) => logThrottled(error, 'job worker maintenance failed'),
    tracer,
    onJobEnded: (job) => {
      counts.count(job)
      logEndedJob(log, job)
    },
    onNotifications: (areReceived) => {
      if (areReceived) log.info({}, 'job notifications received')
      else log.warn({}, 'job notifications unavailable')
    },
    ...sweepOptions,
  })
  return {
    ffmpegPath: ffmpeg?.path ?? null,
    stop: async (drainMs) => {
      await worker.stop(drainMs)
      const exported = [tracer?.close(lastExportTimeoutMs), metricExport?.close(lastExportTimeoutMs)]
      await waitForAll([queues.close(), database.close(), ...exported])
    },
  }
}

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
  sendToParent({ adminUrl, ffmpegPath: worker.ffmpegPath })
}

export const runJobs = () => start().catch(exitOnFailure('job worker'))
