import { describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { sampleCases } from '#test/support/count-cases.ts'
import { errorBody } from '#test/support/error-body.ts'
import { fillPathWith } from '#test/support/fill-path.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { platforms } from '#test/support/gateway-options.ts'
import type { TestResponse } from '#test/support/request-at.ts'
import { insertPackOf } from '#test/support/share-fixtures.ts'

const unknownId = 'does-not-exist'

const createPath = (label: Label, params: Readonly<Record<string, string>> = {}) =>
  fillPathWith(label, (name) => params[name] ?? unknownId)

const requiresActor = (label: Label) => /^actor(\+|$)/.test(rowOf(label).auth)

const selectServiceHeaders = ({ headers }: TestResponse) => ({
  runtime: headers.get('x-service-core-runtime'),
  route: headers.get('x-service-native-route'),
  fallback: headers.get('x-service-proxy-fallback'),
  cacheControl: headers.get('cache-control'),
})

const withoutVolatileHeaders = ({ status, headers, body }: TestResponse) => ({
  status,
  headers: [...headers].filter(([name]) => !['date', 'x-request-id', 'ratelimit'].includes(name)),
  body,
})

describe.each(platforms)('every route on %s', (platform) => {
  const gateway = startTestGateway({ control: 'fixed', core: 'sandbox', platform })
  // Both platforms run the same pipeline, so a sample of the routes is enough for the second one.
  const sample = (all: readonly Label[]) => (platform === 'node' ? all : sampleCases(all, 0.2))

  it.each(sample(labels.filter(requiresActor)))('%s returns 401 without a valid token', async (label) => {
    const { method } = rowOf(label)
    for (const headers of [{}, { authorization: 'Bearer not.a.token' }, { authorization: 'Basic YTpi' }]) {
      const response = await gateway.request(method, createPath(label), { headers })
      expect(response.status).toBe(401)
      const isNative = response.headers.get('x-service-core-runtime') === 'native'
      expect(response.body).toEqual(isNative ? errorBody('unauthorized') : { error: 'unauthorized' })
      expect(selectServiceHeaders(response)).toMatchObject({
        route: label,
        fallback: '0',
        cacheControl: 'no-store',
      })
    }
  })

  it.each(sample(labels))("%s sets the service headers itself and ignores the caller's", async (label) => {
    const row = rowOf(label)
    const forged = {
      'x-service-core-runtime': 'forged',
      'x-service-native-route': 'forged',
      'x-service-proxy-fallback': 'forged',
    }
    const response = await gateway.request(row.method, createPath(label), { headers: forged })
    expect(selectServiceHeaders(response)).toEqual({
      runtime: row.runtime === 'proxy' ? 'proxy' : 'native',
      route: label,
      fallback: '0',
      cacheControl: 'no-store',
    })
    expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/)
  })

  it.each(sample(labels.filter((label) => rowOf(label).runtime !== 'proxy')))(
    '%s writes one log line for a request',
    async (label) => {
      const requestId = crypto.randomUUID()
      await gateway.request(rowOf(label).method, createPath(label), {
        headers: { 'x-request-id': requestId },
      })
      await expect
        .poll(() => gateway.log.forRequest(requestId).filter(({ message }) => message === 'request'))
        .toHaveLength(1)
      expect(gateway.log.forRequest(requestId)[0]?.fields).toMatchObject({
        route: label,
        method: rowOf(label).method,
      })
    },
  )

  describe("for another owner's resource", () => {
    const scopedLabels = labels.filter(
      (label) => /^(track|pack|library)/.test(rowOf(label).scope ?? '') && rowOf(label).runtime !== 'proxy',
    )

    const createLibraryFor = async (owner: TestAccount) =>
      (await owner.post('/v1/libraries', { name: 'Mine' })).body.id

    it.each(sample(scopedLabels))('%s returns the same 404 as for an unknown id', async (label) => {
      const { method } = rowOf(label)
      const [owner, otherAccount] = await Promise.all([gateway.signUp(), gateway.signUp({ plan: 'free' })])
      const params = {
        libraryId: await createLibraryFor(owner),
        trackId: await insertTrackOf(gateway.database.sql, owner.accountId),
        packId: (await insertPackOf(gateway.database.sql, owner.accountId)).packId,
      }
      for (const body of [undefined, '{"broken', { name: 'x' }]) {
        const send = (path: string) =>
          gateway.request(method, path, {
            token: otherAccount.token,
            ...(body === undefined || method === 'GET' ? {} : { body }),
          })
        const [foreign, unknown] = [await send(createPath(label, params)), await send(createPath(label))]
        expect(withoutVolatileHeaders(foreign)).toEqual(withoutVolatileHeaders(unknown))
        expect(foreign.status).toBe(404)
      }
    })
  })

  it.each(
    sample(labels.filter((label) => rowOf(label).auth.includes('+') && rowOf(label).runtime !== 'proxy')),
  )('%s returns 403 for a plan without the feature', async (label) => {
    const account = await gateway.signUp({ plan: 'free' })
    const library = await account.post('/v1/libraries', { name: 'Mine' })
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const path = createPath(label, { libraryId: library.body.id, trackId })
    const response = await gateway.request(rowOf(label).method, path, {
      token: account.token,
      body: { accessType: 7 },
    })
    expect(response.status).toBe(403)
    expect(response.body).toEqual(
      errorBody('entitlement_required', {
        code: 'entitlement_required',
        feature: rowOf(label).auth.slice('actor+'.length),
        current: null,
        limit: null,
        planId: 'free',
        status: 'free',
        upgradeRequired: true,
      }),
    )
  })
})
