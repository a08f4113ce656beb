import { Hono } from 'hono/tiny'
import { requireRole } from '../operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from '../operator-options.ts'
import { sendJson } from '../route-endpoints.ts'
import { readCoreUsage } from './read-core-usage.ts'

/** The endpoint that says what the core still serves, and when it last did. */
export const createUsageEndpoints = ({ database: { reader } }: OperatorApiOptions): OperatorApp => {
  const app: OperatorApp = new Hono()
  app.get('/api/core-usage', requireRole('read'), async () => sendJson(await readCoreUsage(reader)))
  return app
}
