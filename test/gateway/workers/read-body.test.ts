import { describe, expect, it } from 'vitest'
import { type BodyBudget, createBodyBudget } from '#gateway/edge/body-budget.ts'
import type { BodyLimits } from '#gateway/edge/body-deadline.ts'
import { readBody } from '#gateway/workers/read-body.ts'
import { progressLimits } from '#test/support/progress-limits.ts'

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error)

describe('reading a body of a web request', () => {
  const request = (body: BodyInit | null, headers: HeadersInit = {}) =>
    new Request('http://api.example/', { method: 'POST', body, headers, duplex: 'half' } as RequestInit)

  const readWeb = (sent: Request, limits: BodyLimits, budget: BodyBudget = createBodyBudget(1000)) =>
    readBody(sent, budget.reserve(), limits)

  const streamOf = (...parts: string[]) =>
    new ReadableStream({
      start(controller) {
        for (const part of parts) controller.enqueue(new TextEncoder().encode(part))
        controller.close()
      },
    })

  it('gives its bytes, up to the limit and not beyond', async () => {
    const bytes = await readWeb(request(streamOf('wh', 'ole')), { maxBytes: 5 })
    expect(new TextDecoder().decode(bytes)).toBe('whole')
    expect(await readWeb(request(streamOf('wh', 'ole')), { maxBytes: 4 }).catch(codeOf)).toBe(
      'body_too_large',
    )
    expect(await readWeb(request(null), { maxBytes: 4 })).toHaveLength(0)
  })

  it('refuses by the announced length', async () => {
    expect(await readWeb(request('x', { 'content-length': '6' }), { maxBytes: 5 }).catch(codeOf)).toBe(
      'body_too_large',
    )
  })

  it('bounds the pauses in it', async () => {
    const stuck = request(
      new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) }),
    )
    expect(
      await readWeb(stuck, { maxBytes: 5, progress: progressLimits({ pauseTimeoutMs: 50 }) }).catch(codeOf),
    ).toBe('request_timeout')
  })

  it('bounds the whole of it, and its average', async () => {
    const dripping = () =>
      request(
        new ReadableStream({
          pull: async (controller) => {
            await new Promise((resolve) => setTimeout(resolve, 20))
            controller.enqueue(new Uint8Array(1))
          },
        }),
      )
    const progress = progressLimits({ gracePeriodMs: 100, minBytesPerS: 1000 })
    expect(await readWeb(dripping(), { maxBytes: 500, progress }).catch(codeOf)).toBe('request_timeout')
    expect(await readWeb(dripping(), { maxBytes: 500, timeoutMs: 100 }).catch(codeOf)).toBe('request_timeout')
  })

  it('refuses one for which the budget has no room', async () => {
    const budget = createBodyBudget(4)
    expect(await readWeb(request(streamOf('wh', 'ole')), { maxBytes: 50 }, budget).catch(codeOf)).toBe(
      'gateway_busy',
    )
  })
})
