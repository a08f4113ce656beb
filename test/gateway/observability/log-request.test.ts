import { expect, it } from 'vitest'
import { logRequest } from '#gateway/observability/log.ts'
import { RequestOutcome } from '#gateway/request/context.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const trace = { identity: { traceId, traceparent: null }, sent: null, span: null }
const served: RequestOutcome = { ...new RequestOutcome(), label: 'packs.list' }

const logged = (outcome: Partial<RequestOutcome>, account?: string) => {
  const log = createRecordingLog()
  const context = { requestId: 'id', trace, method: 'GET', outcome: { ...served, ...outcome } }
  logRequest(log, context, 504, 1.239, account)
  return JSON.stringify(log.lines.map(({ fields, message }) => [fields, message]))
}

it('the log line of a request leaves out fields that do not apply', () => {
  const fields = { requestId: 'id', traceId, method: 'GET', route: 'packs.list', runtime: 'native' }
  expect(logged({})).toBe(
    JSON.stringify([[{ ...fields, reason: 'static', status: 504, durationMs: 1.24 }, 'request']]),
  )
})

it('the log line of a request has its fields in a fixed order', () => {
  const decided = { runtime: 'proxy', reason: 'split', epoch: 7, fallbackReason: 'timeout' } as const
  const errors = { error: 'core_timeout', unauthorizedReason: 'token_expired' } as const
  const outcome = { ...decided, ...errors, isReplayed: true, coreMs: 0.5, bytesIn: 0, bytesOut: 1024 }
  expect(logged(outcome, 'account')).toBe(
    JSON.stringify([
      [
        {
          ...{
            requestId: 'id',
            traceId,
            method: 'GET',
            route: 'packs.list',
            runtime: 'proxy',
            reason: 'split',
          },
          ...{ epoch: 7, fallback: true, fallbackReason: 'timeout', status: 504, replayed: true },
          ...{ error: 'core_timeout', unauthorizedReason: 'token_expired', account: 'account' },
          ...{ durationMs: 1.24, coreMs: 0.5, bytesIn: 0, bytesOut: 1024 },
        },
        'request',
      ],
    ]),
  )
})

it.each([
  [0, 0],
  [0.004, 0],
  [0.005, 0.01],
  [12.34, 12.34],
  [59_999.5, 59_999.5],
])('a request logs %f ms rounded to %f ms', (coreMs, rounded) => {
  expect(JSON.parse(logged({ coreMs }))[0][0].coreMs).toBe(rounded)
})
