import { setTimeout as sleep } from 'node:timers/promises'
import { createBillingEvent, signBilling } from '#test/support/billing.ts'
import { wav } from '#test/support/media/audio-files.ts'
import type { RecordedClient } from './recorded-client.ts'

const processingTimeoutMs = 60_000

const subscriptionEvents = (accountId: string) =>
  (['active', 'past_due'] as const).map((status, index) => {
    const items = { data: [{ id: 'si_1', price: { id: 'price_pro' }, current_period_end: 1_900_000_000 }] }
    const metadata = { account_id: accountId }
    const object = {
      id: `sub_${accountId}`,
      cancel_at_period_end: false,
      customer: `cus_${accountId}`,
      created: 1,
      items,
      metadata,
      status,
    }
    const type = `customer.subscription.${index === 0 ? 'created' : 'updated'}`
    return { status, event: createBillingEvent(type, object, { created: 10 + index }) }
  })

/** The billing provider delivers each event twice. The second delivery and the status depend on what the first one wrote. */
export const subscribe = async (client: RecordedClient, accountId: string, token: string) => {
  for (const { status, event } of subscriptionEvents(accountId)) {
    const body = JSON.stringify(event)
    const deliver = (outcome: string) =>
      client.send(
        'POST',
        '/v1/webhooks/billing',
        { headers: { 'billing-signature': signBilling(body) }, body },
        (response) => response.body.status === outcome,
      )
    const first = await deliver('processed')
    client.countRead('events', first, await deliver('duplicate'))
    const isCurrent = ({ body }: { body: { status?: string } }) => body.status === status
    client.countRead(
      'subscriptions',
      first,
      await client.send('GET', '/v1/billing/status', { token }, isCurrent),
    )
  }
}

const create = (client: RecordedClient, path: string, token: string, body: object) =>
  client.send('POST', path, { token, body }, ({ status }) => status === 201)

export const keepLibrary = async (client: RecordedClient, token: string) => {
  const created = await create(client, '/v1/libraries', token, { name: 'Harbour' })
  const path = `/v1/libraries/${created.body.id}`
  const body = { name: 'Harbour EP' }
  const renamed = await client.send('PATCH', path, { token, body }, ({ status }) => status === 200)
  const isRenamed = (response: { body: { name?: string } }) => response.body.name === body.name
  client.countRead('libraries', renamed, await client.send('GET', path, { token }, isRenamed))
}

export const createTrack = async (client: RecordedClient, token: string): Promise<string> => {
  const title = `Night Drive ${crypto.randomUUID()}`
  const created = await create(client, '/v1/tracks', token, { title, artist: 'The Owls' })
  const path = `/v1/tracks/${created.body.id}`
  const isSame = ({ body }: { body: { title?: string } }) => body.title === title
  client.countRead('tracks', created, await client.send('GET', path, { token }, isSame))
  return created.body.id
}

/** Uploads a file, which a job worker of either release processes. Returns the file's final playback status. */
export const uploadVersion = async (client: RecordedClient, token: string): Promise<string> => {
  const path = `/v1/tracks/${await createTrack(client, token)}`
  const bytes = wav()
  const file = { fileName: 'night-drive.wav', contentType: 'audio/wav', byteSize: bytes.length }
  const { body: intent } = await create(client, `${path}/versions/uploads`, token, file)
  await fetch(intent.signedUrl, { method: intent.method, headers: intent.requiredHeaders, body: bytes })
  const { pathname } = new URL(intent.finalizeUrl)
  await client.send('POST', pathname, { token }, ({ status }) => status === 200)
  const deadline = Date.now() + processingTimeoutMs
  let playback = 'pending'
  while (/pending|processing/.test(playback) && Date.now() < deadline) {
    await sleep(200)
    const { body } = await client.send(
      'GET',
      `${path}/processing-status`,
      { token },
      ({ status }) => status === 200,
    )
    playback = body.readiness?.playback.status ?? playback
  }
  return playback
}
