import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export interface SentRequest {
  readonly status: number | null
  /** The code of a failure. */
  readonly error: string | null
  readonly durationMs: number
}

const send = (url: string, agent: Agent | undefined) =>
  new Promise<SentRequest>((resolve) => {
    const startedAt = performance.now()
    const end = (status: number | null, error: string | null) =>
      resolve({ status, error, durationMs: performance.now() - startedAt })
    const outgoing = request(url, { agent: agent ?? false, timeout: 15_000 }, (response) => {
      response.resume()
      response.once('end', () => end(response.statusCode ?? null, null))
      response.once('error', () => end(null, 'aborted'))
    })
    outgoing.once('timeout', () => outgoing.destroy(Object.assign(new Error(), { code: 'HANGS' })))
    outgoing.once('error', (error) => end(null, 'code' in error ? String(error.code) : error.name))
    outgoing.end()
  })

/** Sends requests over as many kept connections, and over new ones, until `stop` resolves to all of them. */
export const startLoad = (url: string, connections: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const sent: SentRequest[] = []
  let isStopped = false
  const repeat = async (used: Agent | undefined) => {
    while (!isStopped) {
      sent.push(await send(url, used))
      await sleep(5)
    }
  }
  const clients = Array.from({ length: connections }, () => repeat(agent))
  const newConnections = Array.from({ length: 4 }, () => repeat(undefined))
  return {
    sent,
    async stop() {
      isStopped = true
      await Promise.all([...clients, ...newConnections])
      agent.destroy()
      return sent
    },
  }
}

/** Opens connections that are kept, with one request on each at the same time. */
export const openConnections = async (url: string, connections: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const sent = await Promise.all(Array.from({ length: connections }, () => send(url, agent)))
  return { sent, close: () => agent.destroy() }
}
