import type { SandboxBilling } from '#dev/sandbox/billing/start-billing.ts'
import type { ProviderEvent } from '#dev/sandbox/deliveries.ts'
import type { Random } from '#test/support/random-choices.ts'
import { changeSubscription, type Subscriber } from './subscribers.ts'

const duplicateInterval = 5
const changesPerBatch = 8

interface Lives {
  readonly provider: SandboxBilling
  readonly subscribers: readonly Subscriber[]
  readonly random: Random
  readonly events: number
}

/**
 * Keeps the events that are waiting for delivery. One in five is delivered twice. Whenever fewer than a quarter of all
 * events are waiting, `draw` makes changes that cause more.
 */
export const createOutstanding = ({ provider, subscribers, random, events }: Lives) => {
  const emitted: ProviderEvent[] = []
  const outstanding: ProviderEvent[] = []

  const collectEvents = () => {
    for (const event of provider.deliveries.pending().slice(emitted.length)) {
      emitted.push(event)
      outstanding.push(event)
      if (emitted.length % duplicateInterval === 0) outstanding.push(event)
    }
  }

  const makeChanges = () => {
    for (let change = 0; change < changesPerBatch; change++) {
      const subscriber = subscribers[random.below(subscribers.length)]
      if (subscriber) changeSubscription(provider, subscriber, random)
    }
    collectEvents()
  }

  collectEvents()
  return {
    emitted,
    /** Draws a random event; undefined if none is left. */
    draw() {
      if (emitted.length < events && outstanding.length < events / 4) makeChanges()
      return random.draw(outstanding)
    },
    putBack(event: ProviderEvent) {
      outstanding.push(event)
    },
  }
}

export type Outstanding = ReturnType<typeof createOutstanding>
