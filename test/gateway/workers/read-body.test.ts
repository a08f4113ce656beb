import { describe, expect, it } from 'vitest'
import { type BodyBudget, createBodyBudget } from '#gateway/edge/body-budget.ts'
import type { BodyLimits } from '#gateway/edge/body-deadline.ts'
import { readBody } from '#gateway/workers/read-body.ts'
import { progressLimits } from '#test/support/progress-limits.ts'

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error)

describe('readBody on Workers', () => {
  const request = (body: BodyInit | null, headers: HeadersInit = {}) =>
    new Request('http://api.example/', { method: 'POST', body, headers, duplex: 'half' } as RequestInit)

  const readWeb = (sent: Request, limits: BodyLimits, budget: BodyBudget = createBodyBudget(1000)) =>
    readBody(sent, budget.reserve('10.0.0.1'), limits)

  const createStream = (...parts: string[]) =>
    new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(new TextEncoder().encode(part))
        controller.close()
      },
    })

  it('returns a body up to the limit and rejects a longer one', async () => {
    const bytes = await readWeb(request(createStream('wh', 'ole')), { maxBytes: 5 })
    expect(new TextDecoder().decode(bytes)).toBe('whole')
    expect(await readWeb(request(createStream('wh', 'ole')), { maxBytes: 4 }).catch(codeOf)).toBe(
      'body_too_large',
    )
    expect(await readWeb(request(null), { maxBytes: 4 })).toHaveLength(0)
  })

  it('rejects a body whose declared length is above the limit', async () => {
    expect(await readWeb(request('x', { 'content-length': '6' }), { maxBytes: 5 }).catch(codeOf)).toBe(
      'body_too_large',
    )
  })

  it('rejects a body if no byte arrives within pauseTimeoutMs', async () => {
    const stalled = request(
      new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) }),
    )
    expect(
      await readWeb(stalled, { maxBytes: 5, progress: progressLimits({ pauseTimeoutMs: 50 }) }).catch(codeOf),
    ).toBe('request_timeout')
  })

  it('rejects a body that takes too long or whose average rate is too low', async () => {
    const createSlowRequest = () =>
      request(
        new ReadableStream({
          pull: async (controller) => {
            await new Promise((resolve) => setTimeout(resolve, 20))
            controller.enqueue(new Uint8Array(1))
          },
        }),
      )
    const progress = progressLimits({ gracePeriodMs: 100, minBytesPerS: 1000 })
    expect(await readWeb(createSlowRequest(), { maxBytes: 500, progress }).catch(codeOf)).toBe(
      'request_timeout',
    )
    expect(await readWeb(createSlowRequest(), { maxBytes: 500, timeoutMs: 100 }).catch(codeOf)).toBe(
      'request_timeout',
    )
  })

  it('rejects a body that exceeds the budget', async () => {
    const budget = createBodyBudget(4)
    expect(await readWeb(request(createStream('wh', 'ole')), { maxBytes: 50 }, budget).catch(codeOf)).toBe(
      'gateway_busy',
    )
  })
})
