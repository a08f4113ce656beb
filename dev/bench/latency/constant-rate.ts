import { Agent, get } from 'node:http'
import { performance } from 'node:perf_hooks'

export interface RateOptions {
  readonly requestOf: (index: number) => readonly [url: string, headers: Readonly<Record<string, string>>]
  /** Requests per second, whether or not earlier ones were answered. */
  readonly rate: number
  readonly seconds: number
  readonly connections: number
}

export interface TimedRequest {
  /** When the request was due, in milliseconds since the start. */
  readonly dueMs: number
  readonly latencyMs: number
}

export interface RateResult {
  readonly requests: readonly TimedRequest[]
  /** Connection errors, and statuses other than 200. */
  readonly errors: number
}

/**
 * Sends requests at a constant rate. A late response does not delay later requests, and latency is measured from the
 * time a request was due. So a gateway that stalls for 50 ms pays for every request in that time.
 */
export const sendAtRate = ({ requestOf, rate, seconds, connections }: RateOptions): Promise<RateResult> =>
  new Promise((resolve) => {
    const agent = new Agent({ keepAlive: true, maxSockets: connections })
    const count = rate * seconds
    const requests: TimedRequest[] = []
    let [sent, ended, errors] = [0, 0, 0]
    const startedAt = performance.now()
    const end = () => {
      ended += 1
      if (ended < count) return
      agent.destroy()
      resolve({ requests, errors })
    }
    const fail = () => {
      errors += 1
      end()
    }
    const send = (index: number) => {
      const dueMs = (index * 1000) / rate
      const [url, headers] = requestOf(index)
      get(url, { agent, headers }, (response) => {
        response.resume()
        response.once('error', fail)
        response.once('end', () => {
          if (response.statusCode !== 200) return fail()
          requests.push({ dueMs, latencyMs: performance.now() - startedAt - dueMs })
          end()
        })
      }).once('error', fail)
    }
    const sendDue = () => {
      const elapsedMs = performance.now() - startedAt
      for (; sent < count && (sent * 1000) / rate <= elapsedMs; sent += 1) send(sent)
      if (sent < count) setTimeout(sendDue, 1)
    }
    sendDue()
  })
