import type { ThreadScope } from '#db/queries/catalog-analysis/analysis-threads.ts'
import type { Actor, Ports } from '../ports.ts'

const dayMs = 86_400_000

/** The threads that an actor may see now: one ends some time after its last message, whether or not it was deleted yet. */
export const threadScopeOf = (
  { accountId }: Actor,
  { clock, analysisLimits }: Pick<Ports, 'clock' | 'analysisLimits'>,
): ThreadScope => ({
  accountId,
  endedAt: new Date(clock.now().valueOf() - analysisLimits.retentionDays * dayMs).toISOString(),
})
