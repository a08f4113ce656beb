import { isSupervisor } from '#gateway/process/process-count.ts'
import { runServer } from '#gateway/process/run-server.ts'
import { runSupervisor } from '#gateway/process/run-supervisor.ts'
import { defaultTiming } from '#gateway/process/supervisor-timing.ts'
import { readSettings } from '#gateway/settings/settings.ts'

// As `gateway/server.ts`, except that a process that does not respond is killed after six seconds instead of two minutes.
if (isSupervisor()) await runSupervisor(readSettings, { ...defaultTiming, pingIntervalMs: 500 })
else await runServer(readSettings)
