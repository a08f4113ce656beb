import { openDatabase } from '#db/connection.ts'
import { startWorker, type Worker } from '#jobs/start-worker.ts'
import { createAnalysisService } from './adapters/media-intelligence-http.ts'
import { describeError, type Log } from './log.ts'
import { openObjectStorage } from './media-settings.ts'
import type { JobSettings } from './settings.ts'

const analysisOf = (settings: JobSettings) => {
  const { MEDIA_INTELLIGENCE_URL: url, MEDIA_INTELLIGENCE_SECRET: secret, PUBLIC_BASE_URL: base } = settings
  if (url === undefined || secret === undefined || base === undefined) return null
  const callbackUrl = `${base.replace(/\/+$/, '')}/v1/media-intelligence/callback`
  return createAnalysisService({ url, secret, callbackUrl })
}

/** Starts the worker of the jobs with its connections to the database and to the store. */
export const startJobs = async (
  settings: JobSettings,
  log: Log,
  options: { readonly sweepEveryMs?: number } = {},
): Promise<Worker> => {
  const database = openDatabase(settings.DATABASE_URL, { connections: 5 })
  const { db } = database
  const worker = await startWorker({
    databaseUrl: settings.DATABASE_URL,
    ports: {
      db: { read: db, tx: (work) => db.transaction(work) },
      storage: openObjectStorage(settings),
      analysis: analysisOf(settings),
      clock: { now: () => new Date() },
      log,
    },
    onError: (error) => log.error({ failure: describeError(error) }, 'a job went wrong'),
    ...options,
  })
  return {
    stop: async () => {
      await worker.stop()
      await database.close()
    },
  }
}
