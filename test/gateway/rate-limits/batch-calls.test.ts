import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { batchCalls } from '#gateway/rate-limits/create-limits.ts'

describe('batchCalls', () => {
  const recordBatches = () => {
    const batches: (readonly number[])[] = []
    const double = batchCalls(async (batch: readonly number[]) => {
      batches.push(batch)
      await sleep(5)
      return batch.map((number) => number * 2)
    })
    return { batches, double }
  }

  it('combines calls made while a batch is running and returns each result', async () => {
    const { batches, double } = recordBatches()
    const first = double(1)
    await sleep(1)
    const others = Promise.all([2, 3, 4].map(double))
    expect(await first).toBe(2)
    expect(await others).toEqual([4, 6, 8])
    expect(batches).toEqual([[1], [2, 3, 4]])
  })

  it('runs a call immediately when no batch is running', async () => {
    const { batches, double } = recordBatches()
    await double(1)
    await double(2)
    expect(batches).toEqual([[1], [2]])
  })
})
