import { setTimeout as sleep } from 'node:timers/promises'

export interface Probe {
  /** Every question that was not answered as it should be, and soon. */
  readonly failures: readonly string[]
  /** How many were. */
  answered(): number
  stop(): Promise<void>
}

const timeoutMs = 5000
const restMs = 50

const questions = [
  ['/healthz', 'native'],
  ['/v1/probe', 'proxy'],
  ['/v1/libraries', 'native'],
] as const

/** A well-behaved client that asks for a page, a forwarded and a native route all the while. */
export const startProbe = (url: string, token: string): Probe => {
  const failures: string[] = []
  let answered = 0
  let stopping = false

  const ask = async (path: string, runtime: string) => {
    try {
      const headers = { authorization: `Bearer ${token}` }
      const response = await fetch(url + path, { headers, signal: AbortSignal.timeout(timeoutMs) })
      await response.arrayBuffer()
      const served = response.headers.get('x-service-core-runtime')
      if (response.status === 200 && served === runtime) answered += 1
      else failures.push(`${path}: ${response.status} ${served}`)
    } catch (error) {
      failures.push(`${path}: ${error}`)
    }
  }

  const run = async () => {
    while (!stopping) {
      await Promise.all(questions.map(([path, runtime]) => ask(path, runtime)))
      await sleep(restMs)
    }
  }
  const done = run()
  return {
    failures,
    answered: () => answered,
    async stop() {
      stopping = true
      await done
    },
  }
}
