import { ApiError } from '#contracts/errors.ts'
import { isId } from '#contracts/shared/primitives.ts'
import type { Reader } from '#db/client/connection.ts'
import { findAnalysisThreadOf, type ThreadScope } from '#db/queries/catalog-analysis/analysis-threads.ts'

/** Throws `analysis_thread_not_found` if the scope has no such thread. */
export const requireThread = async (db: Reader, threadId: string, scope: ThreadScope) => {
  const thread = isId(threadId) ? await findAnalysisThreadOf(db, threadId, scope) : null
  if (!thread) throw new ApiError('analysis_thread_not_found')
  return thread
}
