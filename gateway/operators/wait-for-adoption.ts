import { setTimeout as sleep } from 'node:timers/promises'
import type { Reader } from '#db/client/connection.ts'
import { listLiveInstances } from '#db/queries/gateway-instances.ts'

export interface Adoption {
  readonly instances: number
  readonly adopted: number
  /** From the commit until the last of these instances reported the epoch. */
  readonly ms: number
  /** The live instances that have not reported it. */
  readonly missing: readonly string[]
}

const pollIntervalMs = 20

/** How long the response to a change waits. */
export const defaultAdoptionTimeoutMs = 2000

/** Waits until all live instances have reported the epoch, for at most `timeoutMs`. */
export const waitForAdoption = async (db: Reader, epoch: number, timeoutMs: number): Promise<Adoption> => {
  const startedAt = performance.now()
  for (;;) {
    const instances = await listLiveInstances(db)
    const ms = Math.round(performance.now() - startedAt)
    const missing = instances.filter((instance) => instance.epoch < epoch).map(({ id }) => id)
    if (missing.length === 0 || ms >= timeoutMs)
      return { instances: instances.length, adopted: instances.length - missing.length, ms, missing }
    await sleep(pollIntervalMs)
  }
}
