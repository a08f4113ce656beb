import type { RequestOutcome } from '../request/context.ts'

/** Counts the requests that were served, by route, side and class of status. A fallback was served by the core. */
export interface RequestCounter {
  record(label: RequestOutcome['label'], runtime: RequestOutcome['runtime'], status: number): void
}
