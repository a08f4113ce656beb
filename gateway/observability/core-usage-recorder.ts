import type { RequestContext } from '../request/context.ts'

/** Records which requests the core has served, and why. */
export interface CoreUsageRecorder {
  /** To be called with each completed request. */
  record(context: Pick<RequestContext, 'outcome' | 'method' | 'path'>, status: number): void
}
