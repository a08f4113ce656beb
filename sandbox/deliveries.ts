import { setTimeout as sleep } from 'node:timers/promises'

export interface ProviderEvent {
  readonly id: string
  readonly type: string
  /** The body of its delivery, the same each time. */
  readonly body: string
}

interface Carelessness {
  /** How many times too often each event is delivered. */
  readonly repeat: number
  /** Whether events that happen close together are delivered in any order. */
  readonly reorder: boolean
}

interface Delivery {
  readonly id: string
  readonly type: string
  readonly attempt: number
  /** Null: there was no answer. */
  readonly status: number | null
}

interface DeliveryOptions {
  /** The headers that sign one delivery, at the moment it is made. */
  readonly sign: (event: ProviderEvent) => Record<string, string>
  readonly carelessness?: () => Carelessness
  /** How long to wait before the second attempt; each further one waits twice as long. */
  readonly retryMs: number
  /** Events of an earlier run that nobody has taken yet. */
  readonly pending?: readonly ProviderEvent[]
  readonly onChange?: () => void
}

const attempts = 12
const holdMs = 150
const patienceMs = 10_000
const remembered = 200

/** Delivers events, signed, to one endpoint until it takes them with a 2xx. */
export const createDeliveries = ({
  sign,
  carelessness = () => ({ repeat: 0, reorder: false }),
  retryMs,
  pending = [],
  onChange = () => undefined,
}: DeliveryOptions) => {
  const open = new Map(pending.map((event) => [event.id, event]))
  const history: Delivery[] = []
  const stopping = new AbortController()
  const underWay = new Map<string, Promise<void>>()
  let endpoint: string | null = null

  const post = async (event: ProviderEvent, url: string) => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...sign(event) },
        body: event.body,
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(patienceMs)]),
      })
      await response.body?.cancel()
      return response.status
    } catch {
      return null
    }
  }

  const deliver = async (event: ProviderEvent) => {
    for (let attempt = 1; attempt <= attempts && endpoint !== null; attempt++) {
      const status = await post(event, endpoint)
      history.unshift({ id: event.id, type: event.type, attempt, status })
      history.splice(remembered)
      if (status !== null && status >= 200 && status < 300) return open.delete(event.id)
      await sleep(retryMs * 2 ** (attempt - 1), undefined, { signal: stopping.signal })
    }
    return false
  }

  const send = (event: ProviderEvent) => {
    const { repeat, reorder } = carelessness()
    const times = Array.from({ length: repeat + 1 })
    const work = Promise.all(
      times.map(async () => {
        if (reorder) await sleep(Math.random() * holdMs, undefined, { signal: stopping.signal })
        await deliver(event)
      }),
    ).then(onChange, () => undefined)
    underWay.set(event.id, work)
    void work.finally(() => underWay.delete(event.id))
  }

  return {
    history,
    /** Events that nobody has taken yet, oldest first. */
    pending: () => [...open.values()],

    tell(event: ProviderEvent) {
      open.set(event.id, event)
      onChange()
      if (endpoint !== null) send(event)
    },

    /** Names the endpoint, to which what has waited for one goes now; with null, events wait. */
    deliverTo(url: string | null) {
      endpoint = url
      if (url === null) return
      for (const event of open.values()) if (!underWay.has(event.id)) send(event)
    },

    /** Resolves once nothing is on its way any more. */
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay.values())
    },

    async stop() {
      stopping.abort()
      await Promise.all(underWay.values())
    },
  }
}

export type Deliveries = ReturnType<typeof createDeliveries>
