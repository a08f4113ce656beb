import type { LimitStore } from '#gateway/rate-limits/create-limits.ts'
import { createRandom } from '#test/support/random.ts'
import { createClock, observeStore, sharedRate, startInstances } from './limit-instances.ts'

/** How a load balancer chooses the instance for the nth request. */
export const spreads = {
  random: (_: number, count: number, random: () => number) => Math.floor(random() * count),
  'round-robin': (n: number, count: number) => n % count,
  // Half of the requests reach a tenth of the instances.
  skewed: (_: number, count: number, random: () => number) => Math.floor(random() ** 3.3 * count),
} as const
export type Spread = keyof typeof spreads

export interface Simulated {
  /** How many requests were admitted before the first rejection. */
  readonly admittedFirst: number
  readonly admitted: number
  /** How many statements the store got until the last request was admitted. */
  readonly statements: number
}

export const simulate = async (
  shared: LimitStore,
  limit: number,
  count: number,
  spread: Spread,
): Promise<Simulated> => {
  const { observed, store } = observeStore(shared)
  const clock = createClock()
  const { instances, meet } = startInstances(count, store, sharedRate(limit), clock)
  await meet()
  observed.statements = 0
  const subject = crypto.randomUUID()
  const random = createRandom(count)
  let admitted = 0
  let admittedFirst: number | null = null
  let statements = 0
  const send = async (n: number) => {
    if (await instances[spreads[spread](n, count, random)]!.admits(subject)) {
      admitted += 1
      statements = observed.statements
    } else admittedFirst ??= admitted
  }
  for (let n = 0; n < limit * 1.2; n++) await send(n)
  clock.passIdleTime()
  for (const { limits } of instances) await limits.refundIdleUses()
  for (let n = 0; n < limit * 0.3; n++) await send(n)
  return { admittedFirst: admittedFirst ?? admitted, admitted, statements }
}
