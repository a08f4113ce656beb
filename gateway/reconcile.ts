import { openDatabase } from '#db/connection.ts'
import { reconcileSubscriptions } from '#jobs/billing/reconcile.ts'
import { describeError } from './log.ts'
import { withPlansOfFile } from './plans-of-file.ts'
import { reconciliationOf } from './reconciliation.ts'
import { readReconciliationSettings, SettingsError } from './settings.ts'

const say = (line: string) => process.stdout.write(`${line}\n`)

const fail = (message: string): never => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

const settings = await withPlansOfFile(process.env)
  .then(readReconciliationSettings)
  .catch((error) => fail(error instanceof SettingsError ? error.message : 'the settings cannot be read'))

const print = (fields: object, message: string) => say(`${message}: ${JSON.stringify(fields)}`)
const log = { info: print, warn: print, error: print }
const database = openDatabase(settings.DATABASE_URL, { connections: 2 })
const db = {
  read: database.db,
  tx: <T>(work: Parameters<typeof database.db.transaction<T>>[0]) => database.db.transaction(work),
}

try {
  const billing = reconciliationOf(settings, db, log)
  const { checked, repaired, failed } = await reconcileSubscriptions({ db, log, billing })
  say(`${checked} subscriptions compared, ${repaired} repaired, ${failed} not compared`)
  if (failed > 0) process.exitCode = 1
} catch (error) {
  fail(`the comparison was given up: ${JSON.stringify(describeError(error))}`)
} finally {
  await database.close()
}
