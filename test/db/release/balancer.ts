import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerProcess } from '#dev/start/start-child.ts'

export type Release = 'previous' | 'present'

export interface Target {
  readonly release: Release
  readonly gateway: ServerProcess
}

const probeIntervalMs = 50

const isReady = ({ gateway }: Target) =>
  fetch(`${gateway.url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )

/** Assigns requests in turn, like a load balancer, to the gateways that report on `/readyz` that they are ready. */
export const createBalancer = () => {
  const targets = new Set<Target>()
  let ready: readonly Target[] = []
  let count = 0
  let isOpen = true

  const probe = async () => {
    const probed = [...targets]
    const states = await Promise.all(probed.map(isReady))
    ready = probed.filter((_, index) => states[index])
  }
  const probing = (async () => {
    while (isOpen) {
      await probe()
      await sleep(probeIntervalMs)
    }
  })()

  return {
    add: (target: Target) => void targets.add(target),
    remove: (target: Target) => void targets.delete(target),
    next(): Target {
      const target = ready[count++ % ready.length]
      if (!target) throw new Error('no gateway is ready')
      return target
    },
    isAssigning: (target: Target) => ready.includes(target),
    async close() {
      isOpen = false
      await probing
    },
  }
}
export type Balancer = ReturnType<typeof createBalancer>
