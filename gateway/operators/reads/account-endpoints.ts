import { Hono } from 'hono/tiny'
import { requireRole } from '../operator-middleware.ts'
import type { OperatorApiOptions, OperatorApp } from '../operator-options.ts'
import { AccountParams, validate } from '../requests.ts'
import { sendJson } from '../route-endpoints.ts'
import { readAccount } from './read-account.ts'

/** The endpoint that explains which side serves one account. */
export const createAccountEndpoints = (options: OperatorApiOptions): OperatorApp => {
  const app: OperatorApp = new Hono()
  app.get(
    '/api/accounts/:accountId',
    requireRole('read'),
    validate('param', AccountParams),
    async ({ req }) => sendJson(await readAccount(options, req.valid('param').accountId)),
  )
  return app
}
