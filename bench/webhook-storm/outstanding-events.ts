import type { SandboxBilling } from '#sandbox/billing/start-billing.ts'
import type { ProviderEvent } from '#sandbox/deliveries.ts'
import type { Random } from './random.ts'
import { live, type Subscriber } from './subscribers.ts'

const duplicateOneIn = 5
const changesAtOnce = 8

interface Lives {
  readonly provider: SandboxBilling
  readonly subscribers: readonly Subscriber[]
  readonly random: Random
  /** How many different events there are to be. */
  readonly events: number
}

/**
 * The events that wait to be delivered, one in five of them twice. The subscribers' lives go on meanwhile, a quarter
 * of all events ahead of what is delivered.
 */
export const createOutstanding = ({ provider, subscribers, random, events }: Lives) => {
  const told: ProviderEvent[] = []
  const outstanding: ProviderEvent[] = []

  const gatherNews = () => {
    for (const event of provider.deliveries.pending().slice(told.length)) {
      told.push(event)
      outstanding.push(event)
      if (told.length % duplicateOneIn === 0) outstanding.push(event)
    }
  }

  const goOn = () => {
    for (let change = 0; change < changesAtOnce; change++) {
      const subscriber = subscribers[random.below(subscribers.length)]
      if (subscriber) live(provider, subscriber, random)
    }
    gatherNews()
  }

  gatherNews()
  return {
    told,
    /** Any one of them; undefined once nothing is left. */
    draw() {
      if (told.length < events && outstanding.length < events / 4) goOn()
      return random.draw(outstanding)
    },
    putBack(event: ProviderEvent) {
      outstanding.push(event)
    },
  }
}

export type Outstanding = ReturnType<typeof createOutstanding>
