import * as z from 'zod'
import { openDatabase } from '#db/client/connection.ts'
import { newId } from '#db/new-id.ts'
import { insertEngagementEvents, serializeEngagementEvent } from '#db/queries/analytics/engagement-events.ts'
import { dayMs } from '#shared/durations.ts'
import { startGatewayProcess } from './gateway-process.ts'
import { sendAtRate } from './latency/constant-rate.ts'
import { latencyTable, probeEnvironment, takeSample } from './latency/sample.ts'
import { measureInterleaved, warmUpSeconds } from './measure.ts'
import { accountId } from './measure-native.ts'
import { type Bench, type BenchOptions, reportStep } from './open-bench.ts'

const Created = z.object({ id: z.string() })

const tracks = 100
const events = 1_000_000
const batch = 500
const visitors = 20_000
const rate = 1000
const connections = 64

const createSharedPack = async (url: string, token: string) => {
  const post = async (path: string, body: object) => {
    const response = await fetch(`${url}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`POST /v1/${path} returned ${response.status}`)
    return response.text()
  }
  const create = async (path: string, body: object) => Created.parse(JSON.parse(await post(path, body))).id
  const packId = await create('packs', { name: 'Benchmark pack' })
  for (let number = 1; number <= tracks; number += 1) {
    const trackId = await create('tracks', { title: `Track ${number}`, artist: 'Bench' })
    await post(`packs/${packId}/tracks`, { trackId })
  }
  const slug = 'benchmark-pack'
  return { packId, linkId: await create(`packs/${packId}/links`, { slug }), slug }
}

const writeEvents = async (databaseUrl: string, { packId, linkId }: { packId: string; linkId: string }) => {
  const database = openDatabase(databaseUrl)
  const createEvent = (number: number) =>
    serializeEngagementEvent({
      id: newId(),
      ownerId: accountId,
      type: 'pack.viewed',
      occurredAt: new Date(Date.now() - 365 * dayMs * (1 - number / events)).toISOString(),
      packId,
      linkKind: 'pack',
      linkId,
      visitorId: `visitor-${(number * 7919) % visitors}`,
    })
  try {
    for (let written = 0; written < events; written += batch) {
      if (written % 50_000 === 0) reportStep(`${written} of ${events} events`)
      await insertEngagementEvents(
        database.db,
        Array.from({ length: batch }, (_, index) => createEvent(written + index)),
      )
    }
  } finally {
    await database.close()
  }
}

export const measureSharePage = async (bench: Bench, { rounds, seconds, profileFolder }: BenchOptions) => {
  const { folder, databaseUrl, issuer, stopAtEnd } = bench
  const gateway = stopAtEnd(
    await startGatewayProcess({
      folder,
      databaseUrl,
      issuer,
      coreUrl: 'none',
      profileFolder,
      environment: {
        ...probeEnvironment,
        GATEWAY_ROUTES: '*=native',
        RATE_LIMIT_PUBLIC_READS: '10000000/60',
      },
    }),
  )
  const pack = await createSharedPack(gateway.url, await issuer.mintToken(accountId))
  await writeEvents(databaseUrl, pack)
  const page = `${gateway.url}/v1/public/pack-links/${pack.slug}`
  const load = { requestOf: () => [page, {}] as const, rate, connections }
  await sendAtRate({ ...load, seconds: warmUpSeconds })
  const samples = await measureInterleaved([{ name: 'crossfade, share page', ...gateway }], rounds, (peer) =>
    takeSample(peer, { ...load, seconds }),
  )
  return [
    `The page of a pack of ${tracks} tracks with ${events} events, ${rate} requests/s, ${connections} connections, ${rounds} rounds of ${seconds} s:`,
    latencyTable(samples),
  ].join('\n\n')
}
