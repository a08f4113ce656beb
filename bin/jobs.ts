import '../scripts/check-node.mjs'
import { readArgumentsOrExit } from '#shared/command-line.ts'
import { readJobsCommand, redriveJobs } from './process/jobs-command.ts'
import { runJobs } from './process/start-jobs.ts'

const command = readArgumentsOrExit('jobs', readJobsCommand, 1)
await (command.kind === 'redrive' ? redriveJobs(command.queue) : runJobs())
