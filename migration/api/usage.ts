import type { Reader } from '#db/client/connection.ts'
import { listCoreUsage, listUnmatchedUsage } from '#db/queries/routing/core-usage.ts'
import { explainUsage, summarizeUsage } from '../model/usage/summarize-usage.ts'
import { requireRole } from './operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from './operator-options.ts'
import { sendJson } from './requests.ts'

export const readCoreUsage = async (db: Reader) => {
  const { recent, before } = await listCoreUsage(db)
  const shapes = await listUnmatchedUsage(db)
  const routes = summarizeUsage(recent, before)
  const unmatched = routes.find(({ label }) => label === 'unmatched')?.requests ?? 0
  return {
    routes,
    /** Routes that would fail without the core, busiest first. */
    needsCore: routes.filter(({ requests }) => requests > 0).map(({ label }) => label),
    unmatched: {
      requests: unmatched,
      shapes,
      /**
       * Requests for paths that the core never served successfully, and for new shapes once the limit on shapes was
       * reached.
       */
      other: Math.max(0, unmatched - shapes.reduce((sum, { requests }) => sum + requests, 0)),
    },
    sentences: explainUsage(routes),
  }
}

export const mountUsage = (app: OperatorApp, { database: { reader } }: OperatorApiOptions): void => {
  app.get('/api/core-usage', requireRole('read'), async () => sendJson(await readCoreUsage(reader)))
}
