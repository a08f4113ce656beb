import { describe, expect, it } from 'vitest'
import { labels, rowOf } from '#contracts/shared/row.ts'
import { responseTransactionOf } from '#native-routes/response-transactions.ts'
import { startTestGateway } from '#test/support/gateway.ts'
import { environmentOfWrites, prepareWrite, readRows, sendWrite, writes } from './write-cases.ts'

const rejectResponses = `
  create function reject_response() returns trigger language plpgsql as $$
    begin raise exception 'rejected' using errcode = '53100'; end $$;
  create trigger reject_response before insert or update on idempotency_keys
    for each row when (new.response is not null) execute function reject_response()`

describe('a write whose response cannot be stored', () => {
  const gateway = startTestGateway({
    control: 'fixed',
    billing: true,
    storage: true,
    environment: environmentOfWrites,
    nativeLabels: writes.filter((label) => rowOf(label).runtime === 'proxy'),
  })

  const failToStore = async (work: () => Promise<void>) => {
    await gateway.database.sql.unsafe(rejectResponses)
    await work().finally(() => gateway.database.sql`drop function reject_response cascade`)
  }

  it.each(writes)('%s has no effect, or an effect that the retry completes', async (label) => {
    const write = await prepareWrite(gateway, label)
    const key = crypto.randomUUID()
    const rows = await readRows(gateway)
    await failToStore(async () => {
      const failed = await sendWrite(gateway.url, write, key)
      expect([failed.status, failed.runtime]).toEqual([503, 'native'])
      if (responseTransactionOf(label) === 'handler') expect(await readRows(gateway)).toEqual(rows)
    })
    const retried = await sendWrite(gateway.url, write, key)
    expect([retried.status < 300, retried.isReplayed]).toEqual([true, false])
    expect(await sendWrite(gateway.url, write, key)).toEqual({ ...retried, isReplayed: true })
  })

  it('has its response stored by the pipeline only on billing routes with external effects', () => {
    const isOfPipeline = labels.filter((label) => responseTransactionOf(label) === 'pipeline')
    expect(isOfPipeline).toEqual(
      labels.filter((label) => label.startsWith('billing.') && rowOf(label).effects === 'external'),
    )
  })
})
