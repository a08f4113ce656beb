import { setInterval } from 'node:timers/promises'

export interface Probe {
  readonly method?: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * One request: when it was sent, how long it took, and its status, or `cut` if the connection ended before the
 * response.
 */
export interface Sample {
  readonly sentMs: number
  readonly tookMs: number
  readonly status: number | 'cut'
}

const send = async (url: string, { method = 'GET', path, headers, body }: Probe): Promise<Sample> => {
  const sentMs = performance.now()
  const status = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) })
    .then(async (response) => {
      await response.arrayBuffer()
      return response.status
    })
    .catch(() => 'cut' as const)
  return { sentMs, tookMs: performance.now() - sentMs, status }
}

/**
 * Sends each probe every 50 ms to the URLs in turn, even if earlier requests have not ended. The returned function
 * stops sending, and resolves to the samples by probe name.
 */
export const startSteadyLoad = <N extends string>(
  urls: () => readonly string[],
  probes: Readonly<Record<N, Probe>>,
) => {
  const names = Object.keys(probes) as N[]
  const pending = new Map(names.map((name) => [name, [] as Promise<Sample>[]]))
  const ended = new AbortController()
  const sendAll = async () => {
    let turn = 0
    for await (const _ of setInterval(50, undefined, { signal: ended.signal })) {
      const targets = urls()
      const url = targets[turn++ % targets.length]!
      for (const name of names) pending.get(name)?.push(send(url, probes[name]))
    }
  }
  const sending = sendAll().catch(() => undefined)
  return async () => {
    ended.abort()
    await sending
    const samples = await Promise.all(
      [...pending].map(async ([name, sent]) => [name, await Promise.all(sent)] as const),
    )
    return Object.fromEntries(samples) as Record<N, Sample[]>
  }
}
