import type { ThreadScope } from '#db/queries/catalog-analysis/analysis-threads.ts'
import { dayMs } from '#shared/durations.ts'
import type { Actor, Ports } from '../ports.ts'

/**
 * Returns the scope of the threads an actor may see now. A thread ends `retentionDays` after its last message, even if
 * it has not been deleted yet.
 */
export const threadScopeOf = (
  { accountId }: Actor,
  { clock, analysisLimits }: Pick<Ports, 'clock' | 'analysisLimits'>,
): ThreadScope => ({
  accountId,
  endedAt: new Date(clock.now().valueOf() - analysisLimits.retentionDays * dayMs).toISOString(),
})
