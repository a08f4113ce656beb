import {
  askCatalog,
  type Client,
  createClient,
  listRecords,
  uploadVersion,
  waitUntilReady,
} from '#client/index.ts'
import { collect } from './collect.ts'
import { catchCode, poll, readPart } from './tour-requests.ts'
import { sharePack, shareTrack } from './tour-shares.ts'

export interface TourOptions {
  readonly baseUrl: string
  /** The token of an account on the `pro` plan; `buyerToken` belongs to an account without a plan. */
  readonly ownerToken: string
  readonly buyerToken: string
  readonly bytes: readonly number[]
  readonly pay: (checkoutUrl: string) => Promise<unknown>
}

// The service rejects the first token, so the client has to get a new one.
const signIn = (baseUrl: string, token: string) =>
  createClient({ baseUrl, getToken: (rejected) => (rejected === undefined ? 'expired' : token) })

const uploadAndPlay = async (owner: Client, bytes: readonly number[]) => {
  await owner.post('/v1/libraries', { body: { name: 'Demos' } })
  const libraries = await collect(listRecords(owner, '/v1/libraries'))
  const { id: trackId } = await owner.post('/v1/tracks', {
    body: { title: 'Night Drive', artist: 'The Owls' },
  })
  const params = { path: { trackId } }
  const fractions: number[] = []
  const file = new File([new Uint8Array(bytes)], 'song.wav', { type: 'audio/wav' })
  const { status } = await uploadVersion(owner, {
    trackId,
    file,
    onProgress: (fraction) => fractions.push(fraction),
  })
  const { readiness } = await waitUntilReady(owner, trackId)
  const { channels, length } = await owner.get('/v1/tracks/{trackId}/peaks', { params })
  const { url } = await owner.get('/v1/tracks/{trackId}/playback-url', { params })
  const tracks = await collect(listRecords(owner, '/v1/tracks', { params: { query: { limit: 1 } } }))
  return {
    trackId,
    upload: {
      names: libraries.map(({ name }) => name),
      titles: tracks.map(({ title }) => title),
      status,
      sent: fractions.at(-1),
      playback: readiness.playback.status,
    },
    waveform: { channels, hasPeaks: length > 0, played: await readPart(url) },
  }
}

const buyPlan = async (buyer: Client, pay: TourOptions['pay']) => {
  const { id: trackId } = await buyer.post('/v1/tracks', { body: { title: 'Low Tide', artist: 'Bob' } })
  const share = () =>
    buyer.post('/v1/tracks/{trackId}/share-links', { params: { path: { trackId } }, body: {} })
  const before = await catchCode(share())
  const plan = { planId: 'pro', returnPath: '/billing' }
  const checkout = await buyer.post('/v1/billing/checkout', { body: plan })
  await pay(checkout.url)
  const { planId } = await poll(
    () => buyer.get('/v1/billing/status'),
    (status) => status.planId === 'pro',
  )
  const { sharePath } = await share()
  const { cancelAtPeriodEnd: canceled } = await buyer.post('/v1/billing/cancel')
  const { cancelAtPeriodEnd: resumed } = await buyer.post('/v1/billing/resume')
  const { mode } = await buyer.post('/v1/billing/change-plan', { body: { ...plan, planId: 'starter' } })
  const portal = await buyer.post('/v1/billing/portal', { body: { returnPath: '/billing' } })
  return {
    before,
    planId,
    isShared: sharePath !== '',
    canceled,
    resumed,
    mode,
    portal: URL.canParse(portal.url),
  }
}

const askAboutCatalogue = async (owner: Client) => {
  const question = { message: 'What is missing before a release?' }
  const { threadId, findings } = await owner.post('/v1/catalog-analysis', { body: question })
  const params = { path: { threadId } }
  const events = await collect(askCatalog(owner, { message: 'And what is being played?', threadId }))
  const { messages } = await owner.get('/v1/catalog-analysis/threads/{threadId}', { params })
  await owner.delete('/v1/catalog-analysis/threads/{threadId}', { params })
  const removed = await catchCode(owner.get('/v1/catalog-analysis/threads/{threadId}', { params }))
  return { hasFindings: findings.length > 0, last: events.at(-1)?.type, messages: messages.length, removed }
}

export const makeTour = async ({ baseUrl, ownerToken, buyerToken, bytes, pay }: TourOptions) => {
  const owner = signIn(baseUrl, ownerToken)
  const visitor = createClient({ baseUrl })
  const unauthenticated = await catchCode(visitor.get('/v1/libraries'))
  const { trackId, upload, waveform } = await uploadAndPlay(owner, bytes)
  return {
    unauthenticated,
    upload,
    waveform,
    link: await shareTrack(owner, visitor, trackId),
    pack: await sharePack(owner, visitor, trackId),
    billing: await buyPlan(signIn(baseUrl, buyerToken), pay),
    catalogue: await askAboutCatalogue(owner),
  }
}
