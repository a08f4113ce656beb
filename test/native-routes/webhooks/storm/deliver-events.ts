import { setTimeout as sleep } from 'node:timers/promises'
import { signEvent } from '#dev/sandbox/billing/objects.ts'
import type { ProviderEvent } from '#dev/sandbox/deliveries.ts'
import type { Outstanding } from './outstanding-events.ts'
import { webhookSecret } from './subscribers.ts'

const concurrency = 8
const timeoutMs = 10_000
const retryPauseMs = 100

/** The `status` of each response to an event's deliveries, such as `duplicate`, by event id. */
export type DeliveryStatuses = ReadonlyMap<string, readonly string[]>

const isNetworkError = (error: unknown) => error instanceof TypeError || error instanceof DOMException

const post = async (url: string, event: ProviderEvent): Promise<string | null> => {
  try {
    const response = await fetch(`${url}/v1/webhooks/billing`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signEvent(webhookSecret, event) },
      body: event.body,
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    if (response.ok) return String(JSON.parse(text).status)
    if (response.status >= 500) return null
    throw new Error(`a delivery returned ${response.status}`)
  } catch (error) {
    // The connection failed, so the event may or may not have been processed.
    if (isNetworkError(error)) return null
    throw error
  }
}

/**
 * Delivers all events, eight at a time, until each one is accepted. `onAccepted` gets the number of accepted
 * deliveries.
 */
export const deliverAll = async (
  { draw, putBack }: Outstanding,
  url: () => string,
  onAccepted: (deliveries: number) => void,
  signal: AbortSignal,
) => {
  const statuses = new Map<string, string[]>()
  let deliveries = 0
  let failures = 0
  const deliver = async () => {
    for (let event = draw(); event !== undefined; event = draw()) {
      signal.throwIfAborted()
      const status = await post(url(), event)
      if (status === null) {
        failures += 1
        putBack(event)
        await sleep(retryPauseMs)
      } else {
        deliveries += 1
        statuses.set(event.id, [...(statuses.get(event.id) ?? []), status])
        onAccepted(deliveries)
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, deliver))
  return { statuses, deliveries, failures }
}
