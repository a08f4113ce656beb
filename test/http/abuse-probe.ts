import { setTimeout as sleep } from 'node:timers/promises'

export interface Probe {
  /** Every request that failed, timed out or was served by the wrong runtime. */
  readonly failures: readonly string[]
  succeeded(): number
  stop(): Promise<void>
}

const timeoutMs = 5000
const intervalMs = 50

const requests = [
  ['/healthz', 'native'],
  ['/v1/probe', 'proxy'],
  ['/v1/libraries', 'native'],
] as const

export const startProbe = (url: string, token: string): Probe => {
  const failures: string[] = []
  let succeeded = 0
  let stopping = false

  const send = async (path: string, runtime: string) => {
    try {
      const headers = { authorization: `Bearer ${token}` }
      const response = await fetch(url + path, { headers, signal: AbortSignal.timeout(timeoutMs) })
      await response.arrayBuffer()
      const served = response.headers.get('x-service-core-runtime')
      if (response.status === 200 && served === runtime) succeeded += 1
      else failures.push(`${path}: ${response.status} ${served}`)
    } catch (error) {
      failures.push(`${path}: ${error}`)
    }
  }

  const run = async () => {
    while (!stopping) {
      await Promise.all(requests.map(([path, runtime]) => send(path, runtime)))
      await sleep(intervalMs)
    }
  }
  const done = run()
  return {
    failures,
    succeeded: () => succeeded,
    async stop() {
      stopping = true
      await done
    },
  }
}
