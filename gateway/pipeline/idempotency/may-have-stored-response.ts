import type { Label } from '#contracts/route-table.ts'
import { type Row, rowOf } from '#contracts/shared/row.ts'
import { responseTransactionOf } from '#native-routes/response-transactions.ts'
import type { RequestContext } from '../../request/context.ts'
import type { Decision, RowDecision } from '../../request/decide.ts'

const visibleAscii = /^[!-~]{1,255}$/

const isWriteOfAccount = ({ method, auth, effects }: Row) =>
  method !== 'GET' && /^actor(\+|$)/.test(auth) && (effects === 'write' || effects === 'external')

/** Whether a route's responses are stored for idempotency keys. Only responses to an account's writes can be. */
export const hasStoredResponses = (label: Label) =>
  isWriteOfAccount(rowOf(label)) && responseTransactionOf(label) !== 'none'

export const findKey = (request: RequestContext) => {
  const key = request.header('idempotency-key')
  return key !== undefined && visibleAscii.test(key) ? key : null
}

export const mayHaveStoredResponse = (decision: Decision, request: RequestContext): decision is RowDecision =>
  request.method !== 'GET' &&
  (decision.kind === 'native' || decision.kind === 'forward') &&
  decision.label !== null &&
  hasStoredResponses(decision.label) &&
  findKey(request) !== null
