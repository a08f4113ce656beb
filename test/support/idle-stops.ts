import { createStopMonitor, type StopMonitor } from '#gateway/routing/stop-monitor.ts'
import { unmeasuredDatabase } from '#migration/routing/stop/database-health.ts'
import { createRecordingLog } from './recording-log.ts'

/** A monitor that adopts no steps, so that it observes nothing. */
export const createIdleStops = (): StopMonitor => ({
  ...createStopMonitor({
    steps: new Map(),
    evidenceKeys: new Map(),
    stored: null,
    health: unmeasuredDatabase,
    log: createRecordingLog(),
  }),
  adoptSteps: () => {},
})
