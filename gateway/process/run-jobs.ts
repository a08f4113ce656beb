import { findFfmpeg } from '#jobs/analysis/find-ffmpeg.ts'
import { ListenError } from '../node/listen-error.ts'
import { describeError } from '../observability/log.ts'
import type { ProcessState } from '../observability/readiness.ts'
import { readJobSettings } from '../settings/settings.ts'
import { exitWithError, openProcessLog, readSettingsOrExit, shutDownOnSignal } from './lifecycle.ts'
import { migrateOrExit } from './migrate-or-exit.ts'
import { requirePreparedStatements } from './require-prepared-statements.ts'
import { startJobs } from './start-jobs.ts'
import { startJobsAdmin } from './start-jobs-admin.ts'

const settings = await readSettingsOrExit((environment) =>
  readJobSettings(environment, (path) => findFfmpeg(path) !== null),
)
const log = openProcessLog(settings.LOG_LEVEL)

await migrateOrExit(settings, log)
await requirePreparedStatements(settings)

const exitOnFailure = (error: unknown) =>
  exitWithError(
    error instanceof ListenError
      ? error.message
      : `job worker initialization failed: ${JSON.stringify(describeError(error))}`,
  )
const state: ProcessState = { phase: 'starting' }
const admin = await startJobsAdmin(settings, log, state).catch(exitOnFailure)
const worker = await startJobs(settings, log).catch(exitOnFailure)
state.phase = 'ready'

shutDownOnSignal(async () => {
  state.phase = 'draining'
  await worker.stop(settings.DRAIN_MS)
  await admin.close()
  log.flush()
})

const { url: adminUrl } = admin
log.info({ adminUrl }, 'job worker started')
// `start/start-child.ts` waits for this message.
process.send?.({ adminUrl })
