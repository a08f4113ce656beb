import { describe, expect, it, onTestFinished } from 'vitest'
import { startGateway } from '#bin/start-gateway.ts'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { type RouteLimit, rateLimitCodes } from '#contracts/shared/rate-limits.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { handlers } from '#native-routes/index.ts'
import { buyPlan } from '#test/support/billing.ts'
import { errorBody } from '#test/support/error-body.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '#test/support/gateway.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { requestAt } from '#test/support/request-at.ts'
import { insertPackOf } from '#test/support/share-fixtures.ts'
import { insertVersion } from '#test/support/track-fixtures.ts'

const countsEffects = (limit: RouteLimit | undefined) =>
  limit !== undefined && rateLimitCodes[limit] === 'rate_limited'
const limited = labels.filter((label) => countsEffects((contracts[label] as Contract).limit))

const retry = 'tracks.processing.retry'
const promote = 'tracks.versions.promote'
const order = { planId: 'pro', returnPath: '/plans' }
const audio = { fileName: 'a.wav', contentType: 'audio/wav', byteSize: 1024 }
const bodies: { readonly [L in Label]?: object } = {
  'tracks.versions.upload': audio,
  'tracks.artwork.upload': { ...audio, contentType: 'image/png' },
  'tracks.documents.upload': { ...audio, contentType: 'application/pdf' },
  'billing.checkout': order,
  'billing.portal': { returnPath: '/plans' },
  'billing.change-plan': order,
  'packs.invitations.create': { email: 'ann@example.test' },
}

const environment = {
  RATE_LIMIT_REANALYSES: '2/3600',
  RATE_LIMIT_UPLOADS: '2/3600',
  RATE_LIMIT_BILLING: '2/3600',
  RATE_LIMIT_INVITATIONS: '2/3600',
  EMAIL_API_KEY: 're_key_of_the_tests',
  EMAIL_FROM: 'invitations@example.test',
  MEDIA_INTELLIGENCE_URL: 'http://127.0.0.1:9',
  MEDIA_INTELLIGENCE_SECRET: 'analysis-secret-of-the-tests',
}

const startAccount = async (gateway: TestGateway, plan: 'free' | 'pro' = 'pro') => {
  const account = await gateway.signUp({ plan })
  const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
  const { id: versionId } = await insertVersion(gateway.database.sql, trackId)
  const { packId } = await insertPackOf(gateway.database.sql, account.accountId)
  const pathOf = (label: Label) =>
    rowOf(label).path.replace(':trackId', trackId).replace(':versionId', versionId).replace(':packId', packId)
  const send = (label: Label, body = bodies[label]) => account.post(pathOf(label), body)
  return { account, trackId, versionId, pathOf, send }
}

const endAnalyses = ({ database }: TestGateway, trackId: string) =>
  database.sql`update media_dispatches set status = 'failed' where track_id = ${trackId}`

const expectRateLimited = (response: Awaited<ReturnType<TestAccount['post']>>) => {
  expect([response.status, response.body]).toEqual([429, errorBody('rate_limited')])
  expect(response.headers.get('x-service-core-runtime')).toBe('native')
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(3000)
  expect(Number(response.headers.get('retry-after'))).toBeLessThanOrEqual(3600)
}

describe('the limits on external effects', () => {
  const gateway = startTestGateway({
    billing: true,
    environment,
    nativeLabels: ['packs.invitations.create'],
  })

  it('cover every route whose handler has external effects that an account can repeat', () => {
    // All but the last need a version, an upload or a subscription, which have limits of their own. Questions have a
    // daily limit.
    const limitedOtherwise = [
      'tracks.versions.remove',
      'tracks.uploads.finalize',
      'billing.cancel',
      'billing.resume',
      'catalog-analysis.ask',
    ]
    const isRepeatable = (label: Label) =>
      label in handlers && rowOf(label).effects === 'external' && !limitedOtherwise.includes(label)
    expect(limited).toEqual(labels.filter(isRepeatable))
    for (const label of limited) expect(rowOf(label).auth).toBe('actor')
  })

  it.each(limited)('reject %s only for the account that reached its limit', async (label) => {
    const [{ account, trackId, send }, other] = [
      await startAccount(gateway, 'free'),
      await startAccount(gateway, 'free'),
    ]
    for (const { account: customer } of [{ account }, other])
      if (label === 'billing.portal') await buyPlan(gateway, customer)
    const statuses = []
    for (let n = 0; n < 3; n++) {
      if (label === promote) await insertVersion(gateway.database.sql, trackId, { isCurrent: true })
      const response = await send(label)
      statuses.push(response.status)
      if (response.status === 429) expectRateLimited(response)
      await endAnalyses(gateway, trackId)
    }
    // Buying the plan counts as one of the sessions.
    const allowed = label === 'billing.portal' ? 1 : 2
    expect(statuses.filter((status) => status < 300)).toHaveLength(allowed)
    expect(statuses.slice(allowed)).toEqual(Array(3 - allowed).fill(429))
    expect((await other.send(label)).status).toBeLessThan(300)
  })

  it("count all of an account's uploads together", async () => {
    const { account, send } = await startAccount(gateway)
    expect((await send('tracks.versions.upload')).status).toBe(201)
    expect((await send('tracks.artwork.upload')).status).toBe(201)
    expectRateLimited(await send('tracks.documents.upload'))
    const another = await insertTrackOf(gateway.database.sql, account.accountId)
    expectRateLimited(await account.post(`/v1/tracks/${another}/versions/uploads`, audio))
  })

  it('count concurrent requests to two instances together, and rejected requests have no effect', async () => {
    const { account, trackId, pathOf } = await startAccount(gateway)
    const another = await startGateway({ settings: gateway.settings, log: createRecordingLog() })
    onTestFinished(() => another.close())
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        requestAt(n % 2 === 0 ? gateway.url : another.url, 'POST', pathOf('tracks.versions.upload'), {
          token: account.token,
          body: audio,
        }),
      ),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, ...Array(10).fill(429)])
    expect(await gateway.database.sql`select from uploads where track_id = ${trackId}`).toHaveLength(2)
  })

  it('do not count rejected requests', async () => {
    const { account, send } = await startAccount(gateway)
    for (let n = 0; n < 3; n++) {
      expect((await send('tracks.versions.upload', { ...audio, byteSize: 0 })).status).toBe(400)
      expect((await send('tracks.versions.upload', { ...audio, byteSize: 2 ** 40 })).status).toBe(400)
      expect((await account.post('/v1/tracks/none/versions/uploads', audio)).status).toBe(404)
      expect((await send('billing.checkout', { ...order, planId: 'none' })).status).toBe(400)
    }
    expect((await send('tracks.versions.upload')).status).toBe(201)
    const empty = await insertTrackOf(gateway.database.sql, account.accountId)
    for (let n = 0; n < 3; n++)
      expect((await account.post(`/v1/tracks/${empty}/processing/media-intelligence/retry`)).status).toBe(409)
    expect((await send(retry)).status).toBe(202)
  })

  it('do not count a retry while the analysis runs', async () => {
    const { trackId, send } = await startAccount(gateway)
    expect((await send(retry)).status).toBe(202)
    for (let n = 0; n < 4; n++) expect((await send(retry)).status).toBe(200)
    await endAnalyses(gateway, trackId)
    expect((await send(retry)).status).toBe(202)
    expectRateLimited(await send(retry))
  })

  it('do not count the promotion of the current version', async () => {
    const { trackId, versionId, send } = await startAccount(gateway)
    const { sql } = gateway.database
    for (let n = 0; n < 3; n++) expect((await send(promote)).status).toBe(200)
    // Its processing ended in an outage, so the promotion starts it again.
    await sql`
      insert into ingestion_runs (id, track_id, version_id, trigger, status, error_code)
      values (${crypto.randomUUID()}, ${trackId}, ${versionId}, 'upload', 'failed', 'storage_unavailable')`
    expect((await send(promote)).status).toBe(200)
    const statuses = async () =>
      (await sql`select status from ingestion_runs where track_id = ${trackId} order by created_at`).map(
        ({ status }) => status,
      )
    expect(await statuses()).toEqual(['failed', 'queued'])
    expect((await send(retry)).status).toBe(202)
    expectRateLimited(await send(promote))
  })

  it('count a checkout that is refused after the provider was asked', async () => {
    const { account, send } = await startAccount(gateway, 'free')
    await buyPlan(gateway, account)
    expect((await send('billing.checkout')).body).toMatchObject({ reason: 'already_subscribed' })
    expectRateLimited(await send('billing.checkout'))
  })

  it('start over with the next window', async () => {
    const { send } = await startAccount(gateway)
    for (let n = 0; n < 2; n++) expect((await send('tracks.versions.upload')).status).toBe(201)
    expectRateLimited(await send('tracks.versions.upload'))
    await gateway.database.sql`update rate_limits set resets_at = now()`
    await expect
      .poll(async () => (await send('tracks.versions.upload')).status, { timeout: 10_000 })
      .toBe(201)
  })
})

describe('the limits on external effects of a gateway with a core', () => {
  const gateway = startTestGateway({
    core: 'recording',
    environment,
    throughRelay: true,
    control: 'fixed',
  })

  it('count each fallback once, and reject the next request without calling the core', async () => {
    const { send } = await startAccount(gateway)
    gateway.relay.setUnavailable(true)
    const before = gateway.core.requests.length
    for (let n = 0; n < 2; n++)
      expect((await send('tracks.versions.upload')).headers.get('x-service-proxy-fallback')).toBe('1')
    expectRateLimited(await send('tracks.versions.upload'))
    expect(gateway.core.requests.length - before).toBe(2)
    gateway.relay.setUnavailable(false)
  })
})

describe('a limit on external effects that is off', () => {
  const gateway = startTestGateway({ environment: { ...environment, RATE_LIMIT_UPLOADS: 'off' } })

  it('rejects nothing', async () => {
    const { send } = await startAccount(gateway)
    for (let n = 0; n < 5; n++) expect((await send('tracks.versions.upload')).status).toBe(201)
  })
})
