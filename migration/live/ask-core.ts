import { setTimeout as sleep } from 'node:timers/promises'
import type { Label } from '#contracts/route-table.ts'
import type { ReceivedRequest } from '#gateway/request/route-control.ts'
import type { UndiciTransport } from '#proxy/undici/transport-undici.ts'
import type { CopiedResponse } from '../shadow/comparison-tasks.ts'

/** Returns null if no complete response arrives in time, or if the response is too long to compare. */
export type AskCore = (received: ReceivedRequest) => Promise<CopiedResponse | null>

const connectionTimeoutMs = 1000
const timeoutMs = 5000
/** Just over four requests per second. Even if some are delayed by up to 200 ms, six never arrive within one second. */
const defaultDistanceMs = 240

/** Returns a function that makes calls in order, at least `distanceMs` apart. */
const createPacer = (distanceMs: number) => {
  let ready: Promise<void> = Promise.resolve()
  let calledAt = Number.NEGATIVE_INFINITY
  const waitForDistance = async () => {
    // Checks the clock again when the timer ends, because after a stall several timers would end together.
    for (;;) {
      const waitMs = calledAt + distanceMs - performance.now()
      if (waitMs <= 0) return
      await sleep(waitMs, undefined, { ref: false })
    }
  }
  return <T>(send: () => Promise<T>) => {
    const sending = ready.then(waitForDistance).then(() => {
      const response = send()
      calledAt = performance.now()
      return { response }
    })
    ready = sending.then(() => undefined)
    return sending.then(({ response }) => response)
  }
}

interface AskCoreOptions {
  readonly transport: Pick<UndiciTransport, 'ask' | 'mayAsk'>
  readonly distanceMs?: number
}

/** The budget only limits how many are started; the gap keeps them from arriving together. */
export const createAskCore = ({ transport, distanceMs = defaultDistanceMs }: AskCoreOptions): AskCore => {
  const callPaced = createPacer(distanceMs)
  const ask = async (received: ReceivedRequest) => {
    // The core may have become slow since the request was queued.
    if (!transport.mayAsk()) return null
    const outcome = await transport.ask({
      ...received,
      requestId: crypto.randomUUID(),
      isShadow: true,
      connectionTimeoutMs,
      timeoutMs,
    })
    if (outcome.kind !== 'completed') return null
    const { status, headers, body } = outcome.response
    return body && { status, headers, body }
  }
  return (received) => callPaced(() => ask(received))
}

/** Fewer than can be sent at `defaultDistanceMs`, so that none of them waits for long. */
const instanceRequestsPerS = 4
/** Reserved for a confirmation, because without one a difference is dropped, while equal responses still count. */
const confirmingRequestsPerS = 2
const routeIntervalMs = 1000
const windowMs = 1000

export type AskBudget = ReturnType<typeof createAskBudget>

/** A route may take several requests together and then waits correspondingly longer. */
export const createAskBudget = (now: () => number = () => performance.now()) => {
  const recent: number[] = []
  const permittedFrom = new Map<Label, number>()

  return {
    /** Takes all of the requests or none. A confirmation may follow in the same second as the request it confirms. */
    take(label: Label, requests: number, isConfirmation = false): boolean {
      const at = now()
      while (recent[0] !== undefined && at - recent[0] >= windowMs) recent.shift()
      const permittedAt = Math.max(at, permittedFrom.get(label) ?? 0)
      const reserved = isConfirmation ? 0 : confirmingRequestsPerS
      if (recent.length + requests > instanceRequestsPerS - reserved || (at < permittedAt && !isConfirmation))
        return false
      for (let request = 0; request < requests; request += 1) recent.push(at)
      permittedFrom.set(label, permittedAt + requests * routeIntervalMs)
      return true
    },
  }
}
