import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

interface Instance {
  readonly url: string
  readonly agent: Agent
  ready: boolean
  served: number
}

export interface Balancer {
  /** Sends a request to a ready instance; rejects unless the response is a complete 200. */
  send(path: string, headers: Readonly<Record<string, string>>): Promise<void>
  served(): readonly number[]
  close(): Promise<void>
}

const healthCheckIntervalMs = 25

const isReady = async ({ url }: Instance) => {
  try {
    const response = await fetch(`${url}/readyz`)
    await response.arrayBuffer()
    return response.status === 200
  } catch {
    return false
  }
}

const sendTo = ({ url, agent }: Instance, path: string, headers: Readonly<Record<string, string>>) =>
  new Promise<void>((resolve, reject) => {
    const sent = request(url + path, { agent, headers }, (response) => {
      const finish = () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${path}: ${response.statusCode}`))
      response.resume().once('end', finish).once('error', reject)
    })
    sent.once('error', reject).end()
  })

/** Distributes requests over instances, like a load balancer that polls `/readyz` and keeps connections alive. */
export const startBalancer = (urls: readonly string[]): Balancer => {
  const instances: readonly Instance[] = urls.map((url) => ({
    url,
    agent: new Agent({ keepAlive: true }),
    ready: true,
    served: 0,
  }))
  let requests = 0
  let closing = false

  const pollReadiness = async (instance: Instance) => {
    while (!closing) {
      instance.ready = await isReady(instance)
      await sleep(healthCheckIntervalMs)
    }
  }
  const polling = Promise.all(instances.map(pollReadiness))

  return {
    async send(path, headers) {
      const ready = instances.filter((instance) => instance.ready)
      const instance = ready[requests++ % ready.length]
      if (!instance) throw new Error('no instance is ready')
      await sendTo(instance, path, headers)
      instance.served += 1
    },
    served: () => instances.map(({ served }) => served),
    async close() {
      closing = true
      await polling
      for (const { agent } of instances) agent.destroy()
    },
  }
}
