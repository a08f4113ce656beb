import { setTimeout as sleep } from 'node:timers/promises'

export interface ProviderEvent {
  readonly id: string
  readonly type: string
  readonly body: string
}

export interface DeliveryFaults {
  /** How many more times each event is delivered. */
  readonly repeat: number
  /** Whether events that occur close together are delivered in random order. */
  readonly reorder: boolean
}

export interface DeliveryRecord {
  readonly event: ProviderEvent
  readonly at: string
  readonly attempt: number
  /** Null if the request failed without a response. */
  readonly status: number | null
}

interface DeliveryOptions {
  readonly sign: (event: ProviderEvent) => Record<string, string>
  readonly faults?: () => DeliveryFaults
  /** The delay before the second attempt. It doubles with each further attempt. */
  readonly retryMs: number
  readonly pending?: readonly ProviderEvent[]
  readonly onChange?: () => void
}

const maxAttempts = 12
const maxReorderDelayMs = 150
const timeoutMs = 10_000
const historyLength = 200

/** Delivers signed events to one endpoint. Tries each up to 12 times, until the endpoint returns 2xx. */
export const createDeliveries = ({
  sign,
  faults = () => ({ repeat: 0, reorder: false }),
  retryMs,
  pending = [],
  onChange = () => undefined,
}: DeliveryOptions) => {
  const undelivered = new Map(pending.map((event) => [event.id, event]))
  const history: DeliveryRecord[] = []
  const stopping = new AbortController()
  const inFlight = new Map<string, { readonly event: ProviderEvent; readonly work: Promise<void> }>()
  const listWork = (text = '') =>
    [...inFlight.values()].flatMap(({ event, work }) => (event.body.includes(text) ? [work] : []))
  let endpoint: string | null = null

  const post = async (event: ProviderEvent, url: string) => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...sign(event) },
        body: event.body,
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(timeoutMs)]),
      })
      await response.body?.cancel()
      return response.status
    } catch {
      return null
    }
  }

  const deliver = async (event: ProviderEvent) => {
    for (let attempt = 1; attempt <= maxAttempts && endpoint !== null; attempt++) {
      const status = await post(event, endpoint)
      history.unshift({ event, at: new Date().toISOString(), attempt, status })
      history.splice(historyLength)
      if (status !== null && status >= 200 && status < 300) return undelivered.delete(event.id)
      await sleep(retryMs * 2 ** (attempt - 1), undefined, { signal: stopping.signal })
    }
    return false
  }

  const send = (event: ProviderEvent) => {
    const { repeat, reorder } = faults()
    const copies = Array.from({ length: repeat + 1 })
    const work = Promise.all(
      copies.map(async () => {
        if (reorder) await sleep(Math.random() * maxReorderDelayMs, undefined, { signal: stopping.signal })
        await deliver(event)
      }),
    ).then(onChange, () => undefined)
    inFlight.set(event.id, { event, work })
    void work.finally(() => inFlight.delete(event.id))
  }

  return {
    history,
    pending: () => [...undelivered.values()],

    enqueue(event: ProviderEvent) {
      undelivered.set(event.id, event)
      onChange()
      if (endpoint !== null) send(event)
    },

    /** Sets the endpoint and delivers all waiting events to it. While the endpoint is null, events wait. */
    setEndpoint(url: string | null) {
      endpoint = url
      if (url === null) return
      for (const event of undelivered.values()) if (!inFlight.has(event.id)) send(event)
    },

    resend(id: string) {
      const event = undelivered.get(id) ?? history.find((record) => record.event.id === id)?.event
      if (!event) return false
      if (endpoint !== null && !inFlight.has(id)) send(event)
      return true
    },

    /** Resolves once no delivery whose body contains `text` is in flight. */
    async waitUntilIdle(text = '') {
      for (let work = listWork(text); work.length > 0; work = listWork(text)) await Promise.all(work)
    },

    async stop() {
      stopping.abort()
      await Promise.all(listWork())
    },
  }
}

export type Deliveries = ReturnType<typeof createDeliveries>
