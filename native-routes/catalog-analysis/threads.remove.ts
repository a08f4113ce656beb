import { remove } from '#contracts/catalog-analysis.threads.ts'
import { ApiError } from '#contracts/errors.ts'
import { isId } from '#contracts/shared/primitives.ts'
import { deleteAnalysisThreadOf } from '#db/queries/catalog-analysis/analysis-threads.ts'
import { defineRoute } from '../define-route.ts'
import { threadScopeOf } from './thread-scope.ts'

export const removeAnalysisThread = defineRoute(remove, ({ actor, params: { threadId } }, ports) =>
  ports.db.tx(async (tx): Promise<undefined> => {
    if (!isId(threadId) || !(await deleteAnalysisThreadOf(tx, threadId, threadScopeOf(actor, ports))))
      throw new ApiError('analysis_thread_not_found')
  }),
)
