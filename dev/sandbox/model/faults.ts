import { setTimeout as delay } from 'node:timers/promises'
import { dayMs } from '#shared/durations.ts'
import type { ChatRequest } from './chat-request.ts'
import { createChunks } from './completion.ts'

export type Fault =
  | 'slow'
  | 'rate_limited'
  | 'error'
  | 'garbled'
  | 'no_stream'
  | 'cut_off'
  | 'stalled'
  | 'endless'

const endlessText = 'and so on '

const startOf = (request: ChatRequest) =>
  [...createChunks(request, { text: 'The catalogue of ' })].slice(0, 2)

export async function* createFaultyChunks(fault: Fault, request: ChatRequest): AsyncGenerator<string> {
  if (fault === 'slow') await delay(dayMs, undefined, { ref: false })
  if (fault === 'garbled') {
    yield 'data: {"choices":[{"delta":{"content":"The cata\n\n'
    return
  }
  if (fault === 'no_stream') {
    yield '<html><body>Welcome</body></html>'
    return
  }
  yield* startOf(request)
  if (fault === 'stalled') await delay(dayMs, undefined, { ref: false })
  while (fault === 'endless') {
    yield* [...createChunks(request, { text: endlessText.repeat(10) })].slice(1, -3)
    await delay(1)
  }
}

export const faultStatuses: { readonly [F in Fault]?: 429 | 500 } = { rate_limited: 429, error: 500 }
