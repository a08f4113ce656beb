import { openDatabase } from '#db/client/connection.ts'
import { createDatabasePort } from '#db/client/drizzle.ts'
import type { Job } from '#db/queries/jobs/jobs.ts'
import { readRedriveSettings } from '#gateway/settings/settings.ts'
import { findJobDefinition, jobDefinitions } from '#jobs/job-definitions.ts'
import { type RedriveCounts, redrive } from '#jobs/redrive.ts'
import { readCommandLine } from '#shared/command-line.ts'
import { describeError } from '#shared/describe-error.ts'
import { describeDatabaseError } from './describe-database-error.ts'
import { exitWithError, readSettingsOrExit } from './lifecycle.ts'

type JobsCommand =
  | { readonly kind: 'work' }
  | { readonly kind: 'redrive'; readonly queue: Job['queue'] | null }

const jobQueues = jobDefinitions.map(({ queue }) => queue)

const queueNamed = (name: string | undefined) => {
  if (name === undefined) return null
  const queue = findJobDefinition(name)?.queue
  if (queue === undefined) throw new Error(`there is no queue ${name}: use one of ${jobQueues.join(', ')}`)
  return queue
}

export const readJobsCommand = (args: readonly string[]): JobsCommand => {
  const { values, operands, usage } = readCommandLine(
    {
      name: 'jobs',
      does: 'Runs a job worker, or puts dead-lettered jobs back into their queues.',
      example: 'redrive',
      operand: {
        takes: '[redrive]',
        means: 'puts dead-lettered jobs back into their queues and exits; without it, the job worker runs',
      },
      flags: {
        queue: { type: 'string', takes: 'NAME', means: 'with redrive: only the jobs of this queue' },
      },
      notes: [
        'Several operators may do this at the same time, and while workers run.',
        'Jobs that are no longer needed are dropped.',
        `queues: ${jobQueues.join(', ')}`,
        'exit codes of redrive: 0 done, 1 an error occurred or jobs are left (run it again)',
      ],
    },
    args,
  )
  const [command, ...rest] = operands
  if (rest.length > 0 || (command !== undefined && command !== 'redrive'))
    throw new Error(`unknown command ${operands.join(' ')}\n${usage}`)
  if (command === 'redrive') return { kind: 'redrive', queue: queueNamed(values.queue) }
  if (values.queue !== undefined) throw new Error(`--queue needs redrive\n${usage}`)
  return { kind: 'work' }
}

const formatJobs = (count: number) => `${count} ${count === 1 ? 'job' : 'jobs'}`

const formatCounts = (queue: string, { redriven, obsolete, busy }: RedriveCounts) =>
  [
    `${queue}: ${formatJobs(redriven)} put back`,
    ...(obsolete > 0 ? [`${obsolete} no longer needed`] : []),
    ...(busy > 0 ? [`${busy} still being marked as failed (run the command again)`] : []),
  ].join(', ')

export const redriveJobs = async (queue: Job['queue'] | null) => {
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
