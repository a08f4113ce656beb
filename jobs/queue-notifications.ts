import { openSubscription } from '#db/client/listen.ts'
import { jobChannel } from '#db/queries/jobs/jobs.ts'

/** The connection that receives notifications. It must not go through a pooler in transaction mode. */
export interface NotificationSource {
  readonly databaseUrl: string
  readonly ca?: string | undefined
}

interface QueueListener {
  /** The job is due in this many seconds; 0 means now. */
  readonly onJob: (queue: string, dueInS: number) => void
  /** Jobs may have been inserted without a notification. */
  readonly onGap: () => void
  readonly onChange: (areReceived: boolean) => void
}

const probeIntervalMs = 60_000
const unavailableProbeIntervalMs = 10_000
const probeTimeoutMs = 2000

/**
 * A probe shows whether notifications arrive at all, because a pooler may accept LISTEN but send nothing, and a
 * connection may be lost without an error.
 */
export const openQueueNotifications = (
  { databaseUrl, ca }: NotificationSource,
  { onJob, onGap, onChange }: QueueListener,
) => {
  const probe = crypto.randomUUID()
  let areReceived: boolean | null = null
  let probedAt = Number.NEGATIVE_INFINITY
  let isProbeDue = true
  let hasArrived = false

  const change = (received: boolean) => {
    if (areReceived !== received) onChange(received)
    areReceived = received
  }
  const receive = (payload: string) => {
    if (payload === probe) {
      hasArrived = true
      change(true)
      return
    }
    const [queue, dueInS] = payload.split(' ')
    // Other workers' probes consist of one word.
    if (queue !== undefined && dueInS !== undefined) onJob(queue, Number(dueInS))
  }
  const subscription = openSubscription(databaseUrl, {
    ...(ca === undefined ? {} : { ca }),
    channel: jobChannel,
    onNotify: (payload) => {
      if (payload !== null) return receive(payload)
      isProbeDue = true
      onGap()
    },
    onLost: () => change(false),
  })
  subscription.reconnect()

  return {
    areReceived: () => areReceived === true,
    /** Returns null if no probe is due. Reconnects if the connection was lost. */
    nextProbe() {
      subscription.reconnect()
      const elapsedMs = performance.now() - probedAt
      if (!hasArrived && elapsedMs > probeTimeoutMs && elapsedMs < Number.POSITIVE_INFINITY) change(false)
      if (!isProbeDue && elapsedMs < (areReceived ? probeIntervalMs : unavailableProbeIntervalMs)) return null
      isProbeDue = false
      hasArrived = false
      probedAt = performance.now()
      return probe
    },
    close: () => subscription.close(),
  }
}
