import * as z from 'zod'
import type { Send } from './client.ts'

const Created = z.object({ id: z.string() })
const Page = z.object({ records: z.array(z.object({ id: z.string() })) })

const create = async (send: Send, path: string, body: unknown) =>
  Created.safeParse(await send('POST', path, body)).data?.id ?? null

// Removes what an interrupted run left behind, so that no account reaches a limit.
const removeRecords = async (send: Send, path: string) => {
  const { records = [] } = Page.safeParse(await send('GET', path)).data ?? {}
  for (const { id } of records) await send('DELETE', `${path}/${id}`)
}

/**
 * One visit by an account: lists its tracks and packs, creates one of each, reads them several times, and removes them.
 */
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
