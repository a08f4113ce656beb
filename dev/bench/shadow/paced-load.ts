import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

interface PacedLoad {
  readonly urls: readonly string[]
  readonly tokens: readonly string[]
  readonly perSecond: number
  readonly seconds: number
}

const sendOne = (agent: Agent, url: string, token: string) =>
  new Promise<void>((resolve, reject) => {
    const sent = request(url, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.on('data', () => undefined)
      response.once('end', resolve)
      response.once('error', reject)
    })
    sent.once('error', reject)
    sent.end()
  })

/**
 * Sends GETs at a constant rate without waiting for earlier responses. Resolves to the response times in milliseconds.
 * Each counts from when the request was due, so a slow response does not hide how long later requests would have
 * waited.
 */
export const sendPaced = async ({
  urls,
  tokens,
  perSecond,
  seconds,
}: PacedLoad): Promise<readonly number[]> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const durations: number[] = []
  const running: Promise<void>[] = []
  const startedAt = performance.now()
  const count = perSecond * seconds
  for (let index = 0; index < count; index += 1) {
    const dueAt = startedAt + (index * 1000) / perSecond
    const waitMs = dueAt - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    const url = urls[index % urls.length] ?? ''
    const token = tokens[index % tokens.length] ?? ''
    running.push(
      sendOne(agent, url, token).then(() => {
        durations.push(performance.now() - dueAt)
      }),
    )
  }
  await Promise.all(running)
  agent.destroy()
  return durations
}
