import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { batchCalls } from '#gateway/adapters/batch-calls.ts'

describe('calls in batches', () => {
  const recordBatches = () => {
    const batches: (readonly number[])[] = []
    const double = batchCalls(async (batch: readonly number[]) => {
      batches.push(batch)
      await sleep(5)
      return batch.map((number) => number * 2)
    })
    return { batches, double }
  }

  it('go together while one is under way, and each gets its own result', async () => {
    const { batches, double } = recordBatches()
    const first = double(1)
    await sleep(1)
    const others = Promise.all([2, 3, 4].map(double))
    expect(await first).toBe(2)
    expect(await others).toEqual([4, 6, 8])
    expect(batches).toEqual([[1], [2, 3, 4]])
  })

  it('wait for nobody while none is under way', async () => {
    const { batches, double } = recordBatches()
    await double(1)
    await double(2)
    expect(batches).toEqual([[1], [2]])
  })
})
