import { describe, expect, it } from 'vitest'
import { isDeliveryLabel } from '#contracts/deliveries.ts'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { handlers } from '#native-routes/index.ts'
import { environmentOfWrites, prepareWrite, writes } from '#test/gateway/pipeline/idempotency/write-cases.ts'
import { operationOf } from '#test/support/api-description.ts'
import { deliverySecrets, signDelivery } from '#test/support/deliveries.ts'
import { fillPathWith } from '#test/support/fill-path.ts'
import { insertTrackOf } from '#test/support/fixtures.ts'
import { startTestGateway, type TestAccount, type TestGateway } from '#test/support/gateway.ts'
import { insertPackLink, insertPackOf } from '#test/support/share-fixtures.ts'
import { insertVersion } from '#test/support/track-fixtures.ts'

const exampleOf = (label: Label) => operationOf(label).requestBody?.content['application/json'].example
const labelsWithExamples = labels.filter((label) => exampleOf(label) !== undefined)

type Params = Readonly<Record<string, string>>

const whole = [{ collaboratorId: 'ann', percentage: 100 }]

const insertDispatch = async (sql: TestGateway['database']['sql'], trackId: string) => {
  const { id: versionId } = await insertVersion(sql, trackId)
  const id = crypto.randomUUID()
  await sql`
    insert into media_dispatches (id, track_id, version_id, status)
    values (${id}, ${trackId}, ${versionId}, 'queued')`
  return id
}

// Creates what most routes need. For account writes whose responses are stored, `prepareWrite` does this instead.
const createParams = async ({ database: { sql } }: TestGateway, account: TestAccount): Promise<Params> => {
  const { packId, trackIds } = await insertPackOf(sql, account.accountId)
  const trackId = trackIds[0] ?? ''
  const { slug } = await insertPackLink(sql, packId)
  await account.put(`/v1/tracks/${trackId}/split-sheet`, { master: whole, writers: whole })
  const { token } = (await account.post(`/v1/tracks/${trackId}/share-links`, {})).body
  return { trackId, slug, token, dispatchId: await insertDispatch(sql, trackId) }
}

// Replaces the made-up ids in an example with the prepared ids for the same fields.
const withIds = (example: unknown, ids: object) => ({
  ...(example as object),
  ...Object.fromEntries(
    Object.entries(ids).filter(
      ([name]) => /^(?:trackIds?|dispatchId)$/.test(name) && name in (example as object),
    ),
  ),
})

const createPath = (label: Label, params: Params) => fillPathWith(label, (name) => params[name] ?? 'unknown')

describe('the example request body', () => {
  const gateway = startTestGateway({
    control: 'fixed',
    core: 'sandbox',
    billing: true,
    storage: true,
    environment: { ...environmentOfWrites, ...deliverySecrets },
    nativeLabels: labelsWithExamples.filter((label) => label in handlers && rowOf(label).runtime === 'proxy'),
  })

  const prepare = async (label: Label) => {
    const example = exampleOf(label)
    if (writes.includes(label)) {
      const { account, path, body = {} } = await prepareWrite(gateway, label)
      return { token: account.token, path, body: withIds(example, body) }
    }
    const account = await gateway.signUp({ plan: 'pro' })
    const params = await createParams(gateway, account)
    return { token: account.token, path: createPath(label, params), body: withIds(example, params) }
  }

  it.each(labelsWithExamples)('for %s is accepted', async (label) => {
    const { token, path, body } = await prepare(label)
    const text = JSON.stringify(body)
    const headers = isDeliveryLabel(label) ? signDelivery(label, text) : {}
    const response = await gateway.request(rowOf(label).method, path, { token, body: text, headers })
    expect([response.status, response.body.error]).toEqual([
      expect.toBeOneOf([200, 201, 202, 204]),
      undefined,
    ])
  })
})

describe('the example query parameters', () => {
  const gateway = startTestGateway({ control: 'fixed', core: 'sandbox' })
  const labelsWithQuery = labels.filter((label) => {
    const { query }: Contract = contracts[label]
    return query !== undefined && rowOf(label).method === 'GET' && rowOf(label).auth !== 'internal'
  })

  it.each(labelsWithQuery)('for %s are accepted', async (label) => {
    const account = await gateway.signUp({ plan: 'pro' })
    const trackId = await insertTrackOf(gateway.database.sql, account.accountId)
    const query = operationOf(label)
      .parameters.filter(({ in: place, example, name }) => place === 'query' && example && name !== 'assetId')
      .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
    const path = `${createPath(label, { trackId })}?${query.join('&')}`
    const { status } = await gateway.request('GET', path, { token: account.token })
    // Only the track exists. If the path names another resource, a 404 is expected.
    expect(status).toBeOneOf([200, 404])
  })
})
