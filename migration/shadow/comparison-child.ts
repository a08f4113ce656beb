import { writeSync } from 'node:fs'
import { openDatabase } from '#db/client/connection.ts'
import { createSessionOpener } from '#db/client/session-opener.ts'
import type { HandlersByLabel } from '#gateway/pipeline/run-route.ts'
import { readOwnBuild } from '#migration/evidence-keys/own-build.ts'
import { handlers as nativeHandlers } from '#native-routes/index.ts'
import { formatDay } from '#shared/iso-clock.ts'
import { acceptedDifferences } from '../parity/accepted-differences.ts'
import { describeFailure } from './child-messages.ts'
import { type ChildSettings, childVariables } from './child-program.ts'
import type { ComparisonTask } from './comparison-tasks.ts'
import { createComparison, createDailyMask } from './run-comparison.ts'
import { createShadowRun } from './run-shadowed.ts'
import { serveTasks } from './serve-tasks.ts'

// Not validated, because the parent sends tasks of this type and sets these variables.
const asTask = (task: unknown) => task as ComparisonTask
const asSettings = (settings: unknown) => settings as ChildSettings
const importHandlers = async (module: string) =>
  ((await import(module)) as { readonly handlers: HandlersByLabel }).handlers

class StaleSourcesError extends Error {
  override name = 'StaleSourcesError'
}

// Leaves out the error's message, which may contain customers' values, even in lines that look like stack frames.
const exitAfter = (error: unknown) => {
  const { name, at } = describeFailure(error)
  writeSync(2, [name, ...at.map((frame) => `    ${frame}`), ''].join('\n'))
  process.exit(1)
}
process.on('uncaughtException', exitAfter)

const replicaTimeoutMs = 500

/** Whether a database's servers are reachable but all of them are replicas. */
const isReplica = async (databaseUrl: string, ca: string | undefined): Promise<boolean> => {
  const open = createSessionOpener(databaseUrl, {
    ca,
    applicationName: 'crossfade-shadow',
    prepare: false,
    readOnly: true,
    statementTimeoutMs: replicaTimeoutMs,
    connectTimeoutMs: replicaTimeoutMs,
  })
  try {
    const { sql } = await open()
    await sql.end({ timeout: 0 })
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'NO_ACCEPTABLE_SERVER'
  }
}

const { [childVariables.settings]: settingsText = '{}', [childVariables.handlers]: handlersModule } =
  process.env
const { listeningUrl, build, ...settings } = asSettings(JSON.parse(settingsText))

const database = openDatabase(settings.DATABASE_URL, {
  ca: settings.DATABASE_CA,
  prepare: settings.DATABASE_PREPARE,
  applicationName: 'crossfade-shadow',
  readOnly: true,
  connections: 2,
  statementTimeoutMs: 500,
  // Shorter than a task's time limit.
  connectTimeoutMs: 1000,
})

const run = createComparison({
  runNative: createShadowRun({
    database,
    settings,
    handlers: handlersModule === undefined ? nativeHandlers : await importHandlers(handlersModule),
    listeningUrl,
  }),
  isReplica: () => isReplica(settings.DATABASE_URL, settings.DATABASE_CA),
  createRules: () => {
    const now = Date.now()
    return {
      accepted: acceptedDifferences,
      today: formatDay(now),
      mask: createDailyMask(settings.GATEWAY_SECRET, now),
      isSameState: true,
    }
  },
})

// A deployment may have replaced the sources since the parent loaded them. Results would then count for the wrong code.
if (readOwnBuild().id !== build) throw new StaleSourcesError()

serveTasks((task) => run(asTask(task)))
