import { joinProcessGroup } from '#gateway/process/group/join-process-group.ts'

// Joins its group, and asks to learn about its replacement only after it was replaced.
const group = joinProcessGroup(1)
group.provide({
  metrics: async () => {
    throw new Error('a metric cannot be read')
  },
  states: async () => ({}),
})
process.on('message', async () => {
  await group.reportExit()
  group.onReplaced(() => process.exit(3))
})
