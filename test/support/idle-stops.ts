import { createStopMonitor, type StopMonitor } from '#gateway/routing/stop-monitor.ts'
import { createRecordingLog } from './recording-log.ts'

/** A monitor that adopts no steps, so that it observes nothing. */
export const createIdleStops = (): StopMonitor => ({
  ...createStopMonitor({ steps: new Map(), stored: null, log: createRecordingLog() }),
  adoptSteps: () => {},
})
