import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGateway } from '#bin/start-gateway.ts'
import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { RunningGateway } from '#gateway/node/start-node-gateway.ts'
import { sampleCases } from '#test/support/count-cases.ts'
import { errorBody } from '#test/support/error-body.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { createRecordingLog } from '#test/support/recording-log.ts'
import { countRows, environmentOfWrites, prepareWrite, readRows, sendWrite, writes } from './write-cases.ts'

const newKey = () => crypto.randomUUID()

const listAdditions = (before: Record<string, number>, after: Record<string, number>) =>
  Object.fromEntries(
    Object.entries(after)
      .map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
      .filter(([, added]) => added !== 0),
  )

describe('a write with an idempotency key', () => {
  const gateway = startTestGateway({
    billing: true,
    storage: true,
    environment: environmentOfWrites,
    nativeLabels: writes.filter((label) => rowOf(label).runtime === 'proxy'),
  })
  let second: RunningGateway
  beforeAll(async () => {
    second = await startGateway({ settings: gateway.settings, log: createRecordingLog() })
  })
  afterAll(() => second.close())
  const prepare = (label: Label) => prepareWrite(gateway, label)

  it.each(writes)('%s is replayed without another effect', async (label) => {
    const write = await prepare(label)
    const key = newKey()
    const first = await sendWrite(gateway.url, write, key)
    expect([first.status < 300, first.isReplayed]).toEqual([true, false])
    const rows = await readRows(gateway)
    const providerRequests = gateway.billing.requests.length
    expect(await sendWrite(gateway.url, write, key)).toEqual({ ...first, isReplayed: true })
    expect(await readRows(gateway)).toEqual(rows)
    expect(gateway.billing.requests).toHaveLength(providerRequests)
  })

  it.each(sampleCases(writes, 0.25))(
    '%s returns 422 for a different request with the same key',
    async (label) => {
      const write = await prepare(label)
      const key = newKey()
      expect((await sendWrite(gateway.url, write, key)).status).toBeLessThan(300)
      const rows = await readRows(gateway)
      for (const other of [
        { ...write, body: { ...write.body, other: true } },
        { ...write, path: `${write.path}?other` },
      ])
        expect(await sendWrite(gateway.url, other, key)).toMatchObject({
          status: 422,
          text: JSON.stringify(errorBody('idempotency_key_reused')),
          isReplayed: false,
        })
      expect(await readRows(gateway)).toEqual(rows)
    },
  )

  it.each(writes)('%s has one effect when several instances get it at the same time', async (label) => {
    const single = await prepare(label)
    const beforeSingle = await countRows(gateway)
    await sendWrite(gateway.url, single, newKey())
    const expected = listAdditions(beforeSingle, await countRows(gateway))

    const write = await prepare(label)
    const before = await countRows(gateway)
    const key = newKey()
    const responses = await Promise.all(
      [gateway.url, second.url, gateway.url, second.url].map((url) => sendWrite(url, write, key)),
    )
    const [applied, ...others] = responses.filter(({ status, isReplayed }) => status < 300 && !isReplayed)
    expect(applied).toBeDefined()
    expect(others).toEqual([])
    for (const response of responses)
      if (response.isReplayed) expect(response).toEqual({ ...applied, isReplayed: true })
      else if (response !== applied)
        expect(response).toMatchObject({
          status: 409,
          text: JSON.stringify(errorBody('idempotency_in_progress')),
        })
    expect(listAdditions(before, await countRows(gateway))).toEqual(expected)
    expect(await sendWrite(second.url, write, key)).toEqual({ ...applied, isReplayed: true })
  })

  it.each(sampleCases(writes, 0.25))('%s ignores a malformed key', async (label) => {
    const write = await prepare(label)
    expect((await sendWrite(gateway.url, write, null)).status).toBeLessThan(300)
    const stored = await gateway.database.sql`select from idempotency_keys`
    await sendWrite(gateway.url, write, 'a key with spaces')
    await sendWrite(gateway.url, write, 'x'.repeat(256))
    await sendWrite(gateway.url, write, '')
    expect(await gateway.database.sql`select from idempotency_keys`).toHaveLength(stored.length)
  })
})
