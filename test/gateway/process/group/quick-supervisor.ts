import { isSupervisor } from '#gateway/process/group/process-count.ts'
import { runSupervisor } from '#gateway/process/group/run-supervisor.ts'
import { defaultTiming } from '#gateway/process/group/supervisor-timing.ts'
import { runServer } from '#gateway/process/run-server.ts'
import { readSettings } from '#gateway/settings/settings.ts'

// As `gateway/server.ts`, except that a process that does not respond is killed after six seconds instead of two minutes.
if (isSupervisor()) await runSupervisor(readSettings, { ...defaultTiming, pingIntervalMs: 500 })
else await runServer(readSettings)
