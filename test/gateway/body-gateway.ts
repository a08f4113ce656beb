import { afterEach, expect } from 'vitest'
import { isDeliveryLabel } from '#contracts/deliveries.ts'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { BodyBudget } from '#gateway/edge/body-budget.ts'
import { defineRoute, NotPortedError } from '#native-routes/define-route.ts'
import { handlers } from '#native-routes/index.ts'
import { deliverySecrets, forgeDelivery } from '#test/support/deliveries.ts'
import { errorBody } from '#test/support/error-body.ts'
import { fillPathWith } from '#test/support/fill-path.ts'
import { createLibrary, insertTrackOf, inviteToLibrary } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import type { TestGatewayOptions } from '#test/support/gateway-options.ts'
import { openRawClient, type RawClient, type RawResponse } from '#test/support/raw-client.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'

export interface RequestTarget {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

export const unmatched: RequestTarget = { method: 'POST', path: '/v1/no-such-thing', headers: {} }

export const expectBusy = (response: RawResponse, label: string) => {
  expect([response.status, JSON.parse(response.body)]).toEqual([503, errorBody('gateway_busy')])
  expect(response.header('retry-after')).toBe('1')
  expect(response.header('x-service-core-runtime')).toBe('native')
  expect(response.header('x-service-native-route')).toBe(label)
  expect(response.header('x-service-proxy-fallback')).toBe('0')
}

/**
 * Starts a gateway that reads every kind of body: its webhooks have secrets, and `libraries.tracks.add` falls back to
 * the core after its body is read. After each test, the whole budget has to be free again.
 */
export const startBodyGateway = (bodyBudget: BodyBudget, options: TestGatewayOptions = {}) => {
  const gateway = startTestGateway({
    control: 'fixed',
    core: 'recording',
    bodyBudget,
    handlers: {
      ...handlers,
      'libraries.tracks.add': defineRoute(contracts['libraries.tracks.add'], () => {
        throw new NotPortedError()
      }),
    },
    ...options,
    environment: {
      ...deliverySecrets,
      MEDIA_INTELLIGENCE_URL: 'http://127.0.0.1:9',
      ...options.environment,
    },
  })
  const sockets: RawClient['socket'][] = []

  const expectUsed = (bytes: number) =>
    expect.poll(() => bodyBudget.usedBytes, { interval: 5, timeout: 5000 }).toBe(bytes)

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await expectUsed(0)
  })

  const createResources = async (owner: TestAccount) => {
    const { sql } = gateway.database
    const library = await createLibrary(owner)
    const { id: shareId } = await inviteToLibrary(owner, library, { email: 'guest@example.test' })
    const trackId = await insertTrackOf(sql, owner.accountId)
    const { packId } = await insertPackOf(sql, owner.accountId)
    const { slug } = await insertPackLink(sql, packId)
    const { token } = (await owner.post(`/v1/tracks/${trackId}/share-links`, {})).body
    return { owner, params: { libraryId: library.id, shareId, trackId, packId, slug, token } }
  }

  let resources: ReturnType<typeof createResources> | undefined

  return {
    gateway,
    expectUsed,

    /** Returns a request to this route, valid except that it has no body. */
    async targetOf(label: Label): Promise<RequestTarget> {
      resources ??= gateway.signUp().then(createResources)
      const { owner, params } = await resources
      const found = new Map<string, string>(Object.entries(params))
      return {
        method: rowOf(label).method,
        path: fillPathWith(label, (name) => found.get(name) ?? 'unknown'),
        headers: {
          authorization: `Bearer ${owner.token}`,
          ...(isDeliveryLabel(label) && forgeDelivery(label)),
        },
      }
    },

    /** Sends a request head that declares a body of `length` bytes, and `body` as its first part. */
    async startBody({ method, path, headers }: RequestTarget, length: number, body: string) {
      const client = await openRawClient(Number(new URL(gateway.url).port))
      sockets.push(client.socket)
      const start = `${method} ${path} HTTP/1.1\r\nHost: api.example\r\nContent-Length: ${length}`
      const lines = Object.entries(headers).map(([name, value]) => `\r\n${name}: ${value}`)
      client.send(`${start}${lines.join('')}\r\n\r\n${body}`)
      return client
    },
  }
}
