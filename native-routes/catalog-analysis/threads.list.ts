import { list } from '#contracts/catalog-analysis.threads.ts'
import { listAnalysisThreadsOf } from '#db/queries/catalog-analysis/analysis-threads.ts'
import { defineRoute } from '../define-route.ts'
import { createPage, parseCursor } from '../paging.ts'
import { threadScopeOf } from './thread-scope.ts'

export const listAnalysisThreads = defineRoute(list, async ({ actor, query }, ports) => {
  const after = parseCursor(query.cursor)
  const scope = threadScopeOf(actor, ports)
  const found = await listAnalysisThreadsOf(ports.db.read, scope, { after, limit: query.limit + 1 })
  return createPage(found, query.limit, ({ updatedAt, threadId }) => ({ at: updatedAt, id: threadId }))
})
