import { describe, expect, it } from 'vitest'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { createBodyBudget } from '#gateway/edge/body-budget.ts'
import { expectBusy, type RequestTarget, startBodyGateway, unmatched } from './body-gateway.ts'

const totalBytes = 100_000
const budget = createBodyBudget(totalBytes)
const { expectUsed, startBody, targetOf } = startBodyGateway(budget)

const readsBody = (label: Label) => {
  const { body }: Contract = contracts[label]
  const { method, runtime } = rowOf(label)
  return runtime === 'proxy' ? method !== 'GET' : body !== undefined
}

const cases: readonly (readonly [label: string, target: () => Promise<RequestTarget>])[] = [
  ...labels.filter(readsBody).map((label) => [label, () => targetOf(label)] as const),
  ['unmatched', async () => unmatched],
]

describe('a request body', () => {
  it.each(cases)('uses the budget only while it is buffered: %s', async (_, target) => {
    const body = `{"name":"${'x'.repeat(80)}"}`
    const client = await startBody(await target(), body.length, body.slice(0, 50))
    await expectUsed(50)
    client.send(body.slice(50))
    expect((await client.receiveResponse()).status).toBeGreaterThanOrEqual(200)
    await expectUsed(0)
  })

  it.each(cases)('releases the budget when the client disconnects partway: %s', async (_, target) => {
    const client = await startBody(await target(), 100, 'x'.repeat(50))
    await expectUsed(50)
    client.socket.destroy()
    await expectUsed(0)
  })

  it.each(cases)(
    'is rejected with 503 when the budget runs out, even after part of it has arrived: %s',
    async (label, target) => {
      const destination = await target()
      const reservation = budget.reserve('10.0.0.2')
      reservation.resize(totalBytes - 60)
      const client = await startBody(destination, 1000, 'x'.repeat(50))
      await expectUsed(totalBytes - 10)
      client.send('x'.repeat(50))
      expectBusy(await client.receiveResponse(), label)
      await expectUsed(totalBytes - 60)
      reservation.release()
    },
  )
})
