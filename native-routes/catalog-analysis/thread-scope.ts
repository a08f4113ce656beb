import { ApiError } from '#contracts/errors.ts'
import { isId } from '#contracts/shared/primitives.ts'
import type { Reader } from '#db/client/connection.ts'
import { findAnalysisThreadOf, type ThreadScope } from '#db/queries/catalog-analysis/analysis-threads.ts'
import { dayMs } from '#shared/durations.ts'
import type { Actor, Ports } from '../ports.ts'

/** A thread ends `retentionDays` after its last message, even if it has not been deleted yet. */
export const threadScopeOf = (
  { accountId }: Actor,
  { clock, analysisLimits }: Pick<Ports, 'clock' | 'analysisLimits'>,
): ThreadScope => ({
  accountId,
  endedAt: new Date(clock.now().valueOf() - analysisLimits.retentionDays * dayMs).toISOString(),
})

export const requireThread = async (db: Reader, threadId: string, scope: ThreadScope) => {
  const thread = isId(threadId) ? await findAnalysisThreadOf(db, threadId, scope) : null
  if (!thread) throw new ApiError('analysis_thread_not_found')
  return thread
}
