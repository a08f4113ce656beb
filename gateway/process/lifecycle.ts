import { createPinoLog } from '../adapters/log-pino.ts'
import { describeError } from '../observability/log.ts'
import { SettingsError } from '../settings/read-environment.ts'
import { readPlansFile } from '../settings/read-plans-file.ts'

/** Ends the process with a line that says why. */
export const exitWithError = (message: string): never => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/** The settings of this process, or its end with a list of what is wrong with them. */
export const readSettingsOrExit = <S>(read: (environment: NodeJS.ProcessEnv) => S): Promise<S> =>
  readPlansFile(process.env)
    .then(read)
    .catch((error) =>
      exitWithError(error instanceof SettingsError ? error.message : 'the settings cannot be read'),
    )

/** The log of this process, which also takes what nobody caught: that is a fault of ours, and the others go on. */
export const openProcessLog = (level: string) => {
  const log = createPinoLog(level)
  process.on('uncaughtException', (error) =>
    log.error({ failure: describeError(error) }, 'uncaught exception'),
  )
  process.on('unhandledRejection', (error) =>
    log.error({ failure: describeError(error) }, 'unhandled rejection'),
  )
  return log
}

/** Ends the process in good order when it is asked to, and when whoever started it is gone. */
export const shutDownOnSignal = (finish: () => Promise<void>) => {
  let ending = false
  const end = async () => {
    if (ending) return
    ending = true
    await finish()
    process.exit(0)
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  process.on('disconnect', end)
}
