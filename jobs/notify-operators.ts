import type { JobDefinition, JobOf } from './job-definitions.ts'

export const notifyOperatorsJob: JobDefinition<JobOf<'notify-operators'>> = {
  queue: 'notify-operators',
  concurrency: 1,
  run: async ({ notice }, { notices }, signal) => notices?.send(notice, signal),
  reopen: async () => true,
}
