import '../scripts/check-node.mjs'
import { readArgumentsOrExit } from './process/command-line.ts'
import { readJobsCommand } from './process/jobs-command.ts'

const command = readArgumentsOrExit('jobs', readJobsCommand, 1)
if (command.kind === 'redrive') {
  const { redriveJobs } = await import('./process/redrive-jobs.ts')
  await redriveJobs(command.queue)
} else await import('./process/run-jobs.ts')
