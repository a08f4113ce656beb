import { openDatabase } from '#db/client/connection.ts'
import { type JobQueue, type RedriveCounts, redrive } from '#jobs/redrive.ts'
import { describeError } from '#shared/describe-error.ts'
import { createDatabasePort } from '../ports/database-port.ts'
import { readRedriveSettings } from '../settings/settings.ts'
import { describeDatabaseError } from './describe-database-error.ts'
import { exitWithError, readSettingsOrExit } from './lifecycle.ts'

const formatJobs = (count: number) => `${count} ${count === 1 ? 'job' : 'jobs'}`

const formatCounts = (queue: string, { redriven, obsolete, busy }: RedriveCounts) =>
  [
    `${queue}: ${formatJobs(redriven)} put back`,
    ...(obsolete > 0 ? [`${obsolete} no longer needed`] : []),
    ...(busy > 0 ? [`${busy} being marked as failed: run the command again`] : []),
  ].join(', ')

/** Puts the dead-lettered jobs of a queue, or of all queues, back, and prints how many. Exits on an error. */
export const redriveJobs = async (queue: JobQueue | null) => {
  const settings = await readSettingsOrExit(readRedriveSettings)
  const database = openDatabase(settings.DATABASE_URL, {
    ca: settings.DATABASE_CA,
    prepare: settings.DATABASE_PREPARE,
    connections: 1,
  })
  try {
    const counts = [...(await redrive(createDatabasePort(database), queue))]
    const lines = counts.map(([name, ofQueue]) => formatCounts(name, ofQueue))
    process.stdout.write(`${lines.join('\n') || 'no dead-lettered jobs'}\n`)
    if (counts.some(([, { busy }]) => busy > 0)) process.exitCode = 1
  } catch (error) {
    exitWithError(
      describeDatabaseError(error) ?? `failed to put jobs back: ${JSON.stringify(describeError(error))}`,
    )
  } finally {
    await database.close()
  }
}
