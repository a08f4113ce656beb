import { setTimeout as sleep } from 'node:timers/promises'
import { signEvent } from '#sandbox/billing/events.ts'
import type { ProviderEvent } from '#sandbox/deliveries.ts'
import type { Outstanding } from './outstanding-events.ts'
import { webhookSecret } from './subscribers.ts'

const concurrency = 8
const patienceMs = 10_000
const pauseMs = 100

/** What the gateway answered to an event, delivery by delivery, by the event's id. */
export type Answers = ReadonlyMap<string, readonly string[]>

const isOfTheNetwork = (error: unknown) => error instanceof TypeError || error instanceof DOMException

const post = async (url: string, event: ProviderEvent): Promise<string | null> => {
  try {
    const response = await fetch(`${url}/v1/webhooks/billing`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signEvent(webhookSecret, event) },
      body: event.body,
      signal: AbortSignal.timeout(patienceMs),
    })
    const text = await response.text()
    if (response.ok) return String(JSON.parse(text).status)
    if (response.status >= 500) return null
    throw new Error(`a delivery is answered with ${response.status}`)
  } catch (error) {
    // Refused or broken off: nobody knows whether the event was taken in.
    if (isOfTheNetwork(error)) return null
    throw error
  }
}

/**
 * Delivers all events, eight at a time, each until it is taken; `onTaken` hears how many have been. Aborted, it stops.
 */
export const deliverAll = async (
  { draw, putBack }: Outstanding,
  url: () => string,
  onTaken: (deliveries: number) => void,
  signal: AbortSignal,
) => {
  const answers = new Map<string, string[]>()
  let deliveries = 0
  let failures = 0
  const deliver = async () => {
    for (let event = draw(); event !== undefined; event = draw()) {
      signal.throwIfAborted()
      const answer = await post(url(), event)
      if (answer === null) {
        failures += 1
        putBack(event)
        await sleep(pauseMs)
      } else {
        deliveries += 1
        answers.set(event.id, [...(answers.get(event.id) ?? []), answer])
        onTaken(deliveries)
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, deliver))
  return { answers, deliveries, failures }
}
