import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

interface Instance {
  readonly url: string
  readonly agent: Agent
  ready: boolean
  served: number
}

export interface Balancer {
  /** Sends a request to an instance that is ready; rejects unless the response is a whole 200. */
  ask(path: string, headers: Readonly<Record<string, string>>): Promise<void>
  served(): readonly number[]
  close(): Promise<void>
}

const watchEveryMs = 25

const isReady = async ({ url }: Instance) => {
  try {
    const response = await fetch(`${url}/readyz`)
    await response.arrayBuffer()
    return response.status === 200
  } catch {
    return false
  }
}

const send = ({ url, agent }: Instance, path: string, headers: Readonly<Record<string, string>>) =>
  new Promise<void>((resolve, reject) => {
    const sent = request(url + path, { agent, headers }, (response) => {
      const judge = () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${path}: ${response.statusCode}`))
      response.resume().once('end', judge).once('error', reject)
    })
    sent.once('error', reject).end()
  })

/** Spreads requests over instances as a balancer does that watches `/readyz`, over connections that it keeps. */
export const startBalancer = (urls: readonly string[]): Balancer => {
  const instances: readonly Instance[] = urls.map((url) => ({
    url,
    agent: new Agent({ keepAlive: true }),
    ready: true,
    served: 0,
  }))
  let turn = 0
  let closing = false

  const watch = async (instance: Instance) => {
    while (!closing) {
      instance.ready = await isReady(instance)
      await sleep(watchEveryMs)
    }
  }
  const watching = Promise.all(instances.map(watch))

  return {
    async ask(path, headers) {
      const ready = instances.filter((instance) => instance.ready)
      const instance = ready[turn++ % ready.length]
      if (!instance) throw new Error('no instance is ready')
      await send(instance, path, headers)
      instance.served += 1
    },
    served: () => instances.map(({ served }) => served),
    async close() {
      closing = true
      await watching
      for (const { agent } of instances) agent.destroy()
    },
  }
}
