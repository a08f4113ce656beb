import { openDatabase } from '#db/client/connection.ts'
import { createDatabasePort } from '#db/client/drizzle.ts'
import { readReconciliationSettings } from '#gateway/settings/settings.ts'
import { examineCustomers } from '#jobs/billing/examine-customers.ts'
import type { Reconciliation } from '#native-routes/billing/reconcile-account.ts'
import { readArgumentsOrExit, readCommandLine } from '#shared/command-line.ts'
import { describeError } from '#shared/describe-error.ts'
import { describeDatabaseError } from './process/describe-database-error.ts'
import { exitWithError, readSettingsOrExit } from './process/lifecycle.ts'
import { createComparison, createReconciliationPort } from './process/reconciliation-port.ts'

// Every error exits with 1, so scripts can tell an error from a difference.
const exitCodes = { nothingToChange: 0, failed: 1, differencesFound: 2 } as const

const command = {
  name: 'reconcile',
  does: "Compares the stored subscriptions with the billing provider's.",
  example: '--apply',
  flags: { apply: { type: 'boolean', means: 'repairs the differences; without it, nothing changes' } },
} as const

const { apply: isApplied = false } = readArgumentsOrExit(
  command.name,
  (args) => readCommandLine(command, args).values,
  exitCodes.failed,
)
const settings = await readSettingsOrExit(readReconciliationSettings)

const printLine = (line: string) => process.stdout.write(`${line}\n`)
const log = {
  warn: (fields: object, message: string) => printLine(`warning: ${message} ${JSON.stringify(fields)}`),
}

const database = openDatabase(settings.DATABASE_URL, {
  ca: settings.DATABASE_CA,
  prepare: settings.DATABASE_PREPARE,
  connections: 2,
  readOnly: !isApplied,
})
const { reader } = database

type Change = NonNullable<Reconciliation['change']>

const reportedFields = [
  'planId',
  'status',
  'billingSubscriptionId',
  'cancelAtPeriodEnd',
  'currentPeriodEnd',
] as const satisfies readonly (keyof Change['before'])[]

const formatChange = ({ before, after }: Change) =>
  reportedFields
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name} ${before[name] ?? 'none'} -> ${after[name] ?? 'none'}`)
    .join(', ')

const report = (accountId: string, { change, unknownPriceOf, surplus }: Reconciliation) => {
  if (change) printLine(`${accountId}: ${formatChange(change)}`)
  for (const id of surplus) printLine(`${accountId}: ${id}, a second live subscription -> canceled`)
  if (unknownPriceOf !== null)
    printLine(
      `${accountId}: warning: no plan in BILLING_PLANS has the price of subscription ${unknownPriceOf}`,
    )
}

const reportFailure = (accountId: string, error: unknown) =>
  printLine(`${accountId}: not compared: ${describeError(error).code ?? 'unexpected error'}`)

const createExamine = () => {
  // The comparison can make only one kind of provider call, a read.
  if (!isApplied) return createComparison(settings, reader)
  const billing = createReconciliationPort(settings, createDatabasePort(database), log)
  return async (accountId: string) => (await billing?.reconcile(accountId)) ?? null
}

try {
  const counts = await examineCustomers(reader, { examine: createExamine(), report, reportFailure })
  const { checked, differing, failed } = counts
  const outcome = isApplied ? `${differing} repaired` : `${differing} different`
  printLine(`${checked} subscriptions compared, ${outcome}, ${failed} not compared`)
  if (!isApplied && differing > 0) printLine('nothing was changed: use --apply to repair the differences')
  process.exitCode = exitCodes.nothingToChange
  if (!isApplied && differing > 0) process.exitCode = exitCodes.differencesFound
  if (failed > 0) process.exitCode = exitCodes.failed
} catch (error) {
  exitWithError(
    describeDatabaseError(error) ?? `reconciliation failed: ${JSON.stringify(describeError(error))}`,
  )
} finally {
  await database.close()
}
