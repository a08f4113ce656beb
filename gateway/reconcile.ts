import { openDatabase } from '#db/client/connection.ts'
import { reconcileSubscriptions } from '#jobs/billing/reconcile.ts'
import { describeError } from './observability/log.ts'
import { createReconciliationPort } from './ports/reconciliation-port.ts'
import { describeDatabaseError } from './process/describe-database-error.ts'
import { exitWithError, readSettingsOrExit } from './process/lifecycle.ts'
import { readReconciliationSettings } from './settings/settings.ts'

const printLine = (line: string) => process.stdout.write(`${line}\n`)

const settings = await readSettingsOrExit(readReconciliationSettings)

const printFields = (fields: object, message: string) => printLine(`${message}: ${JSON.stringify(fields)}`)
const log = { info: printFields, warn: printFields, error: printFields }
const database = openDatabase(settings.DATABASE_URL, { ca: settings.DATABASE_CA, connections: 2 })
const db = {
  read: database.db,
  tx: <T>(work: Parameters<typeof database.db.transaction<T>>[0]) => database.db.transaction(work),
}

try {
  const billing = createReconciliationPort(settings, db, log)
  const { checked, repaired, failed } = await reconcileSubscriptions({ db, log, billing })
  printLine(`${checked} subscriptions compared, ${repaired} repaired, ${failed} not compared`)
  if (failed > 0) process.exitCode = 1
} catch (error) {
  exitWithError(
    describeDatabaseError(error) ?? `reconciliation failed: ${JSON.stringify(describeError(error))}`,
  )
} finally {
  await database.close()
}
