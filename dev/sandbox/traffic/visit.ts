import * as z from 'zod'
import type { Tally } from './tally.ts'

/** Sends one request for an account. Resolves to the JSON body if the status is below 400, otherwise to null. */
type Send = (method: string, path: string, body?: unknown) => Promise<unknown>

interface ClientOptions {
  readonly baseUrl: string
  readonly token: string
  readonly tally: Pick<Tally, 'record'>
  readonly keepRate: () => Promise<void>
}

export const createClient = ({ baseUrl, token, tally, keepRate }: ClientOptions): Send => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return async (method, path, body) => {
    await keepRate()
    const startedAt = performance.now()
    const record = (route: string, response: Response | null) =>
      tally.record({
        route,
        status: response?.status ?? null,
        isNative: response?.headers.get('x-service-core-runtime') === 'native',
        hasFallenBack: response?.headers.get('x-service-proxy-fallback') === '1',
        durationMs: performance.now() - startedAt,
      })
    try {
      const response = await fetch(baseUrl + path, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      record(response.headers.get('x-service-native-route') ?? `${method} ${path}`, response)
      return response.status < 400 && text !== '' ? JSON.parse(text) : null
    } catch {
      record('no response', null)
      return null
    }
  }
}

const Created = z.object({ id: z.string() })
const Page = z.object({ records: z.array(z.object({ id: z.string() })) })

const create = async (send: Send, path: string, body: unknown) =>
  Created.safeParse(await send('POST', path, body)).data?.id ?? null

// Removes what an interrupted run left behind, so that no account reaches a limit.
const removeRecords = async (send: Send, path: string) => {
  const { records = [] } = Page.safeParse(await send('GET', path)).data ?? {}
  for (const { id } of records) await send('DELETE', `${path}/${id}`)
}

export const visit = async (send: Send): Promise<void> => {
  await removeRecords(send, '/v1/tracks')
  await removeRecords(send, '/v1/packs')
  const trackId = await create(send, '/v1/tracks', { title: 'Night Drive', artist: 'The Owls' })
  const packId = await create(send, '/v1/packs', { name: 'Tides EP' })
  for (let read = 0; read < 3; read += 1) {
    await send('GET', '/v1/tracks')
    if (trackId !== null) await send('GET', `/v1/tracks/${trackId}`)
    await send('GET', '/v1/packs')
    if (packId !== null) await send('GET', `/v1/packs/${packId}`)
  }
  if (packId !== null) await send('DELETE', `/v1/packs/${packId}`)
  if (trackId !== null) await send('DELETE', `/v1/tracks/${trackId}`)
}
