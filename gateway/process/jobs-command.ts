import { type JobQueue, jobQueues } from '#jobs/redrive.ts'
import { readCommandLine } from './command-line.ts'

type JobsCommand =
  | { readonly kind: 'work' }
  /** `queue` is null for all queues. */
  | { readonly kind: 'redrive'; readonly queue: JobQueue | null }

const queueNamed = (name: string | undefined) => {
  if (name === undefined) return null
  const queue = jobQueues.find((known) => known === name)
  if (queue === undefined) throw new Error(`there is no queue ${name}: use one of ${jobQueues.join(', ')}`)
  return queue
}

/** Parses the arguments of the jobs process. Throws an error with the usage for invalid ones. */
export const readJobsCommand = (args: readonly string[]): JobsCommand => {
  const { values, operands, usage } = readCommandLine(
    {
      name: 'jobs',
      operand: {
        takes: '[redrive]',
        means: 'puts dead-lettered jobs back into their queues and exits; without it, the job worker runs',
      },
      flags: {
        queue: { type: 'string', takes: 'NAME', means: 'with redrive: only the jobs of this queue' },
      },
      notes: [
        'Several operators may put jobs back at once, while workers run. Work that is no longer needed is dropped.',
        `queues: ${jobQueues.join(', ')}`,
        'exit codes of redrive: 0 done; 1 an error, or jobs are left: run it again',
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
