import { beforeAll, describe, expect, it } from 'vitest'
import type { Label } from '#contracts/route-table.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import type { ShadowOutcome } from '#migration/shadow/run-shadowed.ts'
import { handlers } from '#native-routes/index.ts'
import { checksumTables } from '#test/support/checksum-tables.ts'
import { countCases } from '#test/support/count-cases.ts'
import { startTestGateway, type TestAccount } from '#test/support/gateway.ts'
import { accessCode, createTargets, insertShared, openShadow } from './shadow-fixtures.ts'

const reads = labels.filter((label) => rowOf(label).method === 'GET' && handlers[label])
const nativeLabels = reads.filter((label) => rowOf(label).runtime === 'proxy')

// Signatures and times differ in each response.
const hideSignatures = (text: string) =>
  JSON.parse(text, (name, value) =>
    /url$|expiresAt$|^validatedAt$/i.test(name) && value !== null ? 'signed' : value,
  )

const readBody = (outcome: ShadowOutcome) => {
  if (outcome.kind !== 'response') throw new Error(`not comparable: ${outcome.reason}`)
  return [
    outcome.status,
    outcome.headers[outcome.headers.indexOf('content-type') + 1],
    hideSignatures(Buffer.from(outcome.body).toString()),
  ]
}

describe('a shadowed GET', () => {
  const gateway = startTestGateway({
    nativeLabels,
    environment: { RATE_LIMIT_ACCESS_CODES: '3/600', RATE_LIMIT_PUBLIC_READS: '1000/60' },
  })
  const shadow = openShadow(gateway)
  let shared: Awaited<ReturnType<typeof insertShared>>
  beforeAll(async () => {
    shared = await insertShared(gateway)
  })

  // Events are written in order, and this request's event is written before the response is sent. So no event of an
  // earlier request is still waiting.
  const checksumAfterEvents = async () => {
    const { status } = await shared.owner.get(`/v1/tracks/${shared.trackId}/download-url`)
    expect(status).toBe(200)
    return checksumTables(gateway.database.sql)
  }

  it('is tested for every GET with events and every analytics report', () => {
    const isCovered = (label: Label) => rowOf(label).effects === 'events' || label.startsWith('analytics.')
    const covered = labels.filter((label) => rowOf(label).method === 'GET' && isCovered(label))
    expect(covered).toHaveLength(14)
    expect(reads).toEqual(expect.arrayContaining(covered))
  })

  it.each(reads)('gets the same response as a live GET of %s, and changes no table', async (label) => {
    const { path, auth } = rowOf(label)
    const accounts: (TestAccount | null)[] = auth === 'public' ? [null] : [shared.owner, null]
    if (auth.startsWith('actor')) accounts.push(await gateway.signUp())
    const tries = accounts.flatMap((account) =>
      createTargets(path, shared).map((target) => ({ account, target })),
    )
    const before = await checksumAfterEvents()
    const outcomes: ShadowOutcome[] = []
    for (const { target, account } of tries) outcomes.push(await shadow.run(target, account))
    expect(await checksumTables(gateway.database.sql)).toEqual(before)
    for (const [index, { target, account }] of tries.entries()) {
      // Each wrong code in a live request counts as an attempt.
      await gateway.database.sql`delete from rate_limits`
      const { token } = account ?? {}
      const live = await gateway.request('GET', target, token === undefined ? {} : { token })
      const liveBody = [
        live.status,
        live.headers.get('content-type'),
        hideSignatures(JSON.stringify(live.body)),
      ]
      expect(readBody(outcomes[index]!), target).toEqual(liveBody)
    }
  })

  it('uses up no attempts at an access code, and is not limited by the attempts of live requests', async () => {
    const { gated } = await insertShared(gateway)
    const open = (code: string) => `/v1/pack-links/${gated}?accessCode=${encodeURIComponent(code)}`
    const before = await checksumAfterEvents()
    for (let attempt = 0; attempt < 5; attempt++)
      expect(await shadow.run(open(`wrong ${attempt}`))).toMatchObject({ status: 403 })
    expect(await shadow.run(open(accessCode))).toMatchObject({ status: 200 })
    expect(await checksumTables(gateway.database.sql)).toEqual(before)
    const statuses = []
    for (const code of ['wrong', 'wrong again', 'still wrong', accessCode])
      statuses.push((await gateway.request('GET', open(code))).status)
    expect(statuses).toEqual([403, 403, 403, 429])
    expect(await shadow.run(open(accessCode))).toMatchObject({ status: 200 })
  })

  it('records no event, unlike a live request', async () => {
    const { owner, open } = await insertShared(gateway)
    const countEvents = async () =>
      (await gateway.database.sql`select from engagement_events where owner_id = ${owner.accountId}`).length
    const path = `/v1/public/pack-links/${open}`
    for (let visit = 0; visit < 5; visit++) expect(await shadow.run(path)).toMatchObject({ status: 200 })
    await gateway.request('GET', path)
    await expect.poll(countEvents).toBe(1)
  })

  it(
    'changes no table in 10,000 requests for downloads, gated links and analytics reports',
    async () => {
      const { owner, trackId, packId, gated } = shared
      const link = `/v1/public/pack-links/${gated}`
      const targets = [
        `/v1/tracks/${trackId}/download-url`,
        `${link}?accessCode=${encodeURIComponent(accessCode)}`,
        `${link}/tracks/${trackId}/download-url?accessCode=wrong`,
        `/v1/analytics/packs/${packId}`,
        '/v1/analytics/overview',
        '/v1/analytics/events',
      ]
      const statuses = [200, 200, 403, 200, 200, 200]
      const before = await checksumAfterEvents()
      const rounds = countCases(Math.ceil(10_000 / targets.length), 0.02)
      let slow = 0
      for (let round = 0; round < rounds; round++) {
        const outcomes = await Promise.all(targets.map((target) => shadow.run(target, owner)))
        for (const [index, outcome] of outcomes.entries())
          if (outcome.kind === 'response') expect(outcome.status).toBe(statuses[index])
          // A statement may exceed its short timeout while other tests run.
          else if (outcome.reason === 'database') slow += 1
          else expect.unreachable(outcome.reason)
      }
      expect(slow).toBeLessThan(rounds / 10)
      expect(await checksumTables(gateway.database.sql)).toEqual(before)
    },
    10 * 60_000,
  )
})
