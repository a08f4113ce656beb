import { describe, expect, it } from 'vitest'
import { createLineSelection } from '#gateway/observability/log.ts'
import { RequestOutcome } from '#gateway/request/context.ts'
import type { CompletedRequest } from '#gateway/request/route-control.ts'

const ended = (outcome: Partial<RequestOutcome>, status = 200, durationMs = 5) =>
  ({
    context: { outcome: { ...new RequestOutcome(), ...outcome } },
    status,
    durationMs,
  }) as CompletedRequest

const select = (share: number, level: 'info' | 'debug' = 'info') =>
  createLineSelection({ LOG_LEVEL: level, LOG_REQUESTS_SHARE: share }, () => 0.5)

describe('logged requests', () => {
  it('include all by default, except successful probes', () => {
    expect(select(1)(ended({}))).toBe(true)
    expect(select(1)(ended({ page: 'page' }))).toBe(true)
    expect(select(1)(ended({ page: 'probe' }))).toBe(false)
    expect(select(1)(ended({ page: 'probe' }, 503))).toBe(true)
    expect(select(1, 'debug')(ended({ page: 'probe' }))).toBe(true)
  })

  it('include only the configured share of the successful ones', () => {
    expect(select(0.6)(ended({}))).toBe(true)
    expect(select(0.4)(ended({}))).toBe(false)
  })

  it('always include those that failed, fell back or were slow', () => {
    const isLogged = select(0)
    expect(isLogged(ended({}))).toBe(false)
    expect(isLogged(ended({}, 404))).toBe(true)
    expect(isLogged(ended({ error: 'core_bad_response' }))).toBe(true)
    expect(isLogged(ended({ fallbackReason: 'timeout' }))).toBe(true)
    expect(isLogged(ended({}, 200, 1000))).toBe(true)
  })
})
