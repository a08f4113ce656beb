import { describe, expect, it } from 'vitest'
import { batchLines } from '#gateway/adapters/log-pino/batch-lines.ts'

const collectBatches = (options?: Parameters<typeof batchLines>[1]) => {
  const written: Buffer[] = []
  return { written, batches: batchLines((lines) => written.push(lines), options) }
}

describe('batchLines', () => {
  it('writes no batch that is longer than allowed, unless one line is', () => {
    const { written, batches } = collectBatches({ maxBytes: 100 })
    const lines = Array.from({ length: 50 }, (_, index) => `${'x'.repeat(index * 3)}\n`)
    for (const line of lines) batches.write(line)
    batches.flush()
    expect(Buffer.concat(written).toString()).toBe(lines.join(''))
    for (const batch of written)
      expect(batch.length <= 100 || batch.indexOf('\n') === batch.length - 1).toBe(true)
  })

  it('keeps no long buffer for a short batch, which may wait for its output', () => {
    const { written, batches } = collectBatches()
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}\n`)
    for (const line of lines) {
      batches.write(line)
      batches.flush()
    }
    expect(written.map(String)).toEqual(lines)
    const buffers = new Set(written.map(({ buffer }) => buffer))
    expect(buffers.size).toBeLessThan(10)
  })

  it('does not change a batch that was written', () => {
    const { written, batches } = collectBatches({ maxBytes: 100 })
    for (const letter of 'aabbccdd') batches.write(letter.repeat(25))
    batches.flush()
    expect(written.map((batch) => batch.toString()[0])).toEqual(['a', 'b', 'c', 'd'])
  })
})
