import { findFfmpeg } from '#jobs/analysis/find-ffmpeg.ts'
import { createPromRegistry } from '../adapters/metrics-prom-client.ts'
import type { ProcessState } from '../observability/readiness.ts'
import { readJobSettings } from '../settings/settings.ts'
import { exitOnFailure, openProcessLog, readSettingsOrExit, shutDownOnSignal } from './lifecycle.ts'
import { migrateOrExit } from './migrate-or-exit.ts'
import { requirePreparedStatements } from './require-prepared-statements.ts'
import { startJobs } from './start-jobs.ts'
import { startJobsAdmin } from './start-jobs-admin.ts'

const start = async () => {
  const settings = await readSettingsOrExit((environment) =>
    readJobSettings(environment, (path) => findFfmpeg(path) !== null),
  )
  const { log, instanceId } = openProcessLog(settings)

  await migrateOrExit(settings, log)
  await requirePreparedStatements(settings)

  const state: ProcessState = { phase: 'starting' }
  const registry = createPromRegistry()
  const admin = await startJobsAdmin(settings, log, state, registry)
  const worker = await startJobs(settings, log, { registry, instanceId })
  state.phase = 'ready'

  shutDownOnSignal(async () => {
    state.phase = 'draining'
    await worker.stop(settings.DRAIN_MS)
    await admin.close()
    await log.flush()
  })

  const { url: adminUrl } = admin
  log.info({ adminUrl }, 'job worker started')
  // `start/start-child.ts` waits for this message.
  process.send?.({ adminUrl, ffmpegPath: worker.ffmpegPath })
}

await start().catch(exitOnFailure('job worker'))
