import { ListenError } from '#gateway/node/listen-error.ts'
import { type Log, version } from '#gateway/observability/log.ts'
import { createPinoLog } from '#gateway/observability/log-pino.ts'
import { SettingsError, type Variables } from '#gateway/settings/read-environment.ts'
import { readCaFile, readPlansFile } from '#gateway/settings/read-files.ts'
import { followSecretFiles, readSecretFiles } from '#gateway/settings/secret-files.ts'
import { describeSettings } from '#gateway/settings/settings.ts'
import { describeError } from '#shared/describe-error.ts'
import { onParentExit } from '#shared/processes/child-process.ts'
import { describeDatabaseError } from './describe-database-error.ts'

export const exitWithError = (message: string): never => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

export const exitOnFailure =
  (name: string) =>
  (error: unknown): never =>
    exitWithError(
      error instanceof ListenError
        ? error.message
        : `${name} failed to start: ${describeDatabaseError(error) ?? JSON.stringify(describeError(error))}`,
    )

interface FollowedSettings<S> {
  readonly settings: S
  readonly follow: (log: Log) => void
}

export const readFollowedSettings = async <S extends object>(
  read: (environment: Variables) => S,
): Promise<FollowedSettings<S>> => {
  const environment = process.env
  try {
    const given = await readSecretFiles(environment).then(readPlansFile).then(readCaFile)
    const settings = read(given)
    return {
      settings,
      follow: (log) => void followSecretFiles({ environment, given, settings, read, log }),
    }
  } catch (error) {
    return exitWithError(
      error instanceof SettingsError
        ? error.message
        : `cannot read the settings: ${JSON.stringify(describeError(error))}`,
    )
  }
}

export const readSettingsOrExit = async <S extends object>(read: (environment: Variables) => S): Promise<S> =>
  (await readFollowedSettings(read)).settings

interface ProcessLog {
  readonly log: ReturnType<typeof createPinoLog>
  readonly instanceId: string
}

/**
 * Uncaught errors are bugs. They are logged but do not end the process, because ending it would abort all other
 * requests.
 */
export const openProcessLog = (settings: { readonly LOG_LEVEL: string }): ProcessLog => {
  const instanceId = crypto.randomUUID()
  const log = createPinoLog(settings.LOG_LEVEL, { instance: instanceId, version })
  process.on('uncaughtException', (error) =>
    log.error({ failure: describeError(error) }, 'uncaught exception'),
  )
  process.on('unhandledRejection', (error) =>
    log.error({ failure: describeError(error) }, 'unhandled rejection'),
  )
  log.info({ node: process.versions.node, settings: describeSettings(settings) }, 'settings read')
  return { log, instanceId }
}

/** Ends the process once `finish` has resolved or rejected. A second signal changes nothing. */
export const shutDownOnSignal = (log: ProcessLog['log'], finish: () => Promise<void>) => {
  let isShuttingDown = false
  const shutDown = async () => {
    if (isShuttingDown) return
    isShuttingDown = true
    log.info({}, 'draining')
    let exitCode = 0
    try {
      await finish()
      log.info({}, 'stopped')
    } catch (error) {
      exitCode = 1
      log.error({ failure: describeError(error) }, 'failed to stop')
    }
    await log.flush()
    process.exit(exitCode)
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => void shutDown())
  onParentExit(() => void shutDown())
}
