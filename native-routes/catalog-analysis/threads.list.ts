import { list } from '#contracts/catalog-analysis.threads.ts'
import { listAnalysisThreadsOf } from '#db/queries/catalog-analysis/analysis-threads.ts'
import { defineRoute } from '../define-route.ts'
import { listPage } from '../paging.ts'
import { threadScopeOf } from './thread-scope.ts'

export const listAnalysisThreads = defineRoute(list, ({ actor, query }, ports) =>
  listPage(
    query,
    (range) => listAnalysisThreadsOf(ports.db.read, threadScopeOf(actor, ports), range),
    ({ updatedAt, threadId }) => ({ at: updatedAt, id: threadId }),
  ),
)
