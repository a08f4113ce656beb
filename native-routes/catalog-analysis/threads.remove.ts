import { remove } from '#contracts/catalog-analysis.threads.ts'
import { ApiError } from '#contracts/errors.ts'
import { deleteAnalysisThreadOf } from '#db/queries/analysis-threads.ts'
import { defineRoute } from '../define-route.ts'
import { isId } from '../is-id.ts'
import { threadScopeOf } from './thread-scope.ts'

export const removeAnalysisThread = defineRoute(
  remove,
  async ({ actor, params }, ports): Promise<undefined> => {
    const { threadId } = params
    const scope = threadScopeOf(actor, ports)
    const deleted = isId(threadId) && (await ports.db.tx((tx) => deleteAnalysisThreadOf(tx, threadId, scope)))
    if (!deleted) throw new ApiError('analysis_thread_not_found')
  },
)
