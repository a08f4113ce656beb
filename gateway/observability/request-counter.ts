import type { RequestOutcome } from '../request/context.ts'

/** Counts the requests that were served, by route, side, class of status and duration. A fallback was served by the core. */
export interface RequestCounter {
  record(
    label: RequestOutcome['label'],
    runtime: RequestOutcome['runtime'],
    status: number,
    durationMs: number,
  ): void
}
